import { kubernetesHarness } from './kubernetes-harness.ts'
import { describeExecutor } from './scenarios.ts'

describeExecutor('Kubernetes', kubernetesHarness)
