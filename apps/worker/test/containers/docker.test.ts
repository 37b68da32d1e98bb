import { dockerHarness } from '@workly/delivery/testing/containers'
import { describeWorkers } from './scenarios.ts'

describeWorkers('Docker', dockerHarness)
