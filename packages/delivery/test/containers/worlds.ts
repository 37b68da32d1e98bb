/** What other packages' tests of containers stand on: a real Docker engine, by itself or under a cluster. */
export { BOX } from '../docker-engine.ts'
export { dockerHarness } from './docker-harness.ts'
export type { Harness } from './harness.ts'
export { kubernetesHarness } from './kubernetes-harness.ts'
