/** What a job is called in a mount of its operations: `jobs` is ours, `schedules` the same under another name. */
export interface Mount {
  base: '/v1/jobs' | '/v1/schedules'
  tag: 'Jobs' | 'Schedules'
  /** As part of an `operationId`. */
  noun: 'Job' | 'Schedule'
  /** In sentences. */
  word: 'job' | 'schedule'
}

/** One implementation, mounted twice (spec section 1). */
export const MOUNTS: readonly Mount[] = [
  { base: '/v1/jobs', tag: 'Jobs', noun: 'Job', word: 'job' },
  { base: '/v1/schedules', tag: 'Schedules', noun: 'Schedule', word: 'schedule' },
]
