import { randomBytes } from 'node:crypto'
import { newId } from '@workly/core'
import type { ContainerRef, ImageExecutor, ImageSpec } from '../../src/image.ts'
import { BOX } from '../docker-engine.ts'
import type { CallbackTarget } from './callback-target.ts'

export interface ExecutorSettings {
  patienceMs?: number
  installation?: string
  memoryBytes?: number
}

/** What differs between the executors that the shared scenarios are run against. */
export interface Harness {
  kind: ContainerRef['executor']
  /** A worker's executor: another one for the same cluster or engine at each call. */
  executor(settings?: ExecutorSettings): ImageExecutor
  putConfig(
    organizationId: string,
    kind: 'secret' | 'configMap',
    name: string,
    values: Record<string, string>,
  ): Promise<void>
  /** Someone else removes the running container. */
  removeFromOutside(ref: ContainerRef): Promise<void>
  /** Someone else's thing takes the name of an attempt. */
  takeName(ref: ContainerRef, organizationId: string): Promise<void>
  exists(ref: ContainerRef): Promise<boolean>
  /** What a worker process has in its environment to use the same cluster or engine. */
  environment(): Promise<Record<string, string>>
  /** The cluster or engine stops to answer, and answers again. */
  away(): Promise<void>
  back(): Promise<void>
  close(): Promise<void>
}

export const never: AbortSignal = new AbortController().signal

function idOf(kind: 'organization' | 'run' | 'attempt'): string {
  return newId(kind, Date.now(), randomBytes(10))
}

export function newOrganization(): string {
  return idOf('organization')
}

/** An attempt that runs a shell script in the image of the tests. */
export function script(
  target: Pick<CallbackTarget, 'url'>,
  text: string,
  over: Partial<ImageSpec> = {},
): ImageSpec {
  const attemptId = idOf('attempt')
  return {
    organizationId: newOrganization(),
    runId: idOf('run'),
    attemptId,
    stepId: null,
    ...BOX,
    command: ['sh', '-c', text],
    env: {},
    envFrom: [],
    timeoutSeconds: 60,
    callbackUri: target.url(attemptId),
    ...over,
  }
}

/** Tells the test that the container runs; then it waits until `/data/go` is there, for at most a minute. */
export const REPORT_AND_WAIT =
  'wget -qO- $callbackUri; echo started >> /data/starts; i=0; while [ ! -e /data/go ] && [ $i -lt 600 ]; do sleep 0.1; i=$((i+1)); done'
