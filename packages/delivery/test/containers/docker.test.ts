import { dockerHarness } from './docker-harness.ts'
import { describeExecutor } from './scenarios.ts'

describeExecutor('Docker', dockerHarness)
