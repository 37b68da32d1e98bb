import type { TestProject } from 'vitest/node'
import { startEngine } from '../docker-engine.ts'
import './provided.ts'

/** One Docker engine and one registry for all tests of containers. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const engine = await startEngine()
  project.provide('dockerSocket', engine.socket)
  project.provide('registry', engine.registry)
  return engine.stop
}
