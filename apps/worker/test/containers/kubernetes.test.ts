import { kubernetesHarness } from '@workly/delivery/testing/containers'
import { describeWorkers } from './scenarios.ts'

describeWorkers('Kubernetes', kubernetesHarness)
