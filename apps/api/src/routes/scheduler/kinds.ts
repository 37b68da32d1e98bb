import type { JobListItem, SchedulerType } from '@workly/core'

/** One of the three things that the organization scheduler runs (spec section 9). */
export interface SchedulerKind {
  /** Its part of the address, and the field that says what is run. */
  path: 'restRequest' | 'imageExecution' | 'pipeline'
  /** What the address calls its id. */
  id: 'requestId' | 'imageExecutionId' | 'pipelineId'
  /** The kind of the job underneath. */
  kind: JobListItem['kind']
  /** In the history. */
  type: SchedulerType
  /** As part of an `operationId`. */
  noun: 'RestRequest' | 'ImageExecution' | 'Pipeline'
  /** In sentences. */
  word: 'REST request' | 'image execution' | 'pipeline'
}

export const REST_REQUEST: SchedulerKind = {
  path: 'restRequest',
  id: 'requestId',
  kind: 'http',
  type: 'REST_REQUEST',
  noun: 'RestRequest',
  word: 'REST request',
}
export const IMAGE_EXECUTION: SchedulerKind = {
  path: 'imageExecution',
  id: 'imageExecutionId',
  kind: 'image',
  type: 'IMAGE_EXECUTION',
  noun: 'ImageExecution',
  word: 'image execution',
}
export const PIPELINE: SchedulerKind = {
  path: 'pipeline',
  id: 'pipelineId',
  kind: 'pipeline',
  type: 'PIPELINE',
  noun: 'Pipeline',
  word: 'pipeline',
}

export const SCHEDULER_KINDS: readonly SchedulerKind[] = [REST_REQUEST, IMAGE_EXECUTION, PIPELINE]

/** Where all of it lies. */
export const SCHEDULER_BASE = '/scheduler/organization/{organizationId}'
