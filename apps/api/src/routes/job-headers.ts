import type { Call, HeaderNote } from '../operation.ts'

export const IF_MATCH: HeaderNote = {
  name: 'If-Match',
  description: 'Only if it still has this ETag, else 412. `*`: only if it exists.',
  example: '"job_01kbb2c4m8r0v3x5z7b9d1f3h5.1"',
}

export const IF_NONE_MATCH: HeaderNote = {
  name: 'If-None-Match',
  description: '`*`: only create it, 412 if it exists.',
  example: '*',
}

export const ETAG: HeaderNote = {
  name: 'ETag',
  description: 'Stands for its settings and whether it is paused. Send it back in `If-Match`.',
  example: '"job_01kbb2c4m8r0v3x5z7b9d1f3h5.1"',
}

export const CHANGED: HeaderNote = {
  name: 'Workly-Changed',
  description: 'Whether the request changed anything: `true` or `false`.',
  example: 'true',
}

export const LOCATION: HeaderNote = {
  name: 'Location',
  description: 'The path of what was made.',
  example: '/v1/jobs/nightly-report',
}

/** The conditions of a write, for the verb to judge (RFC 9110 section 13.1). */
export function conditionOf(header: Call<unknown, unknown>['header']) {
  return { ifMatch: header('if-match') ?? null, ifNoneMatch: header('if-none-match') ?? null }
}
