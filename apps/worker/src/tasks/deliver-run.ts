import type { BegunAttempt, WantedAttempt } from '@workly/services'
import type { Task } from 'graphile-worker'
import type { Deliveries } from '../deliveries.ts'
import type { Lease } from '../lease.ts'

function readPayload(payload: unknown): { run: string; number: number } {
  if (typeof payload === 'object' && payload !== null && 'run' in payload && 'number' in payload) {
    const { run, number } = payload
    if (typeof run === 'string' && typeof number === 'number') return { run, number }
  }
  throw new Error('a deliver-run task has no run and number')
}

/**
 * Delivers a run's next attempt: while the lease is held begin is committed, then it is called. An image is begun, and watched from then on without a task. The queue's own
 * retries only cover this process failing before begin; everything after is the run row's to decide.
 * @param call makes a begun call and writes its result
 */
export function deliverRun(
  deliveries: Deliveries,
  lease: Lease,
  call: (attempt: BegunAttempt) => Promise<void>,
  runImage: (wanted: WantedAttempt) => Promise<void>,
): Task {
  return async payload => {
    const { run, number } = readPayload(payload)
    await lease.held()
    const wanted = { runId: run, taskNumber: number }
    const attempt = await deliveries.begin(wanted)
    // No call was to be begun: an image is to be run, or the task is an old one.
    if (!attempt) return runImage(wanted)
    await call(attempt)
  }
}
