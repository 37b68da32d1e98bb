import { WorklyError } from '@workly/core'

/** A test call lasts at most 30 s; most are over much sooner. */
const COME_BACK_SECONDS = 5

/**
 * Test calls under way, by project: each holds a socket of this process for up to 30 s, so a project may have only so
 * many at once. Counted per process, as the rate of requests is.
 */
const underWay = new Map<string, number>()

/**
 * Makes a test call unless its project has `most` of them under way already.
 * @throws WorklyError `rate_limited`, naming the bound
 */
export async function withinTestCalls<T>(
  projectId: string,
  most: number,
  call: () => Promise<T>,
): Promise<T> {
  const before = underWay.get(projectId) ?? 0
  if (before >= most) {
    throw new WorklyError(
      'rate_limited',
      `The project has ${before} test calls under way; at most ${most} at once are allowed. Wait for one to end.`,
      { retryAfterSeconds: COME_BACK_SECONDS },
    )
  }
  underWay.set(projectId, before + 1)
  try {
    return await call()
  } finally {
    const left = (underWay.get(projectId) ?? 1) - 1
    if (left > 0) underWay.set(projectId, left)
    else underWay.delete(projectId)
  }
}
