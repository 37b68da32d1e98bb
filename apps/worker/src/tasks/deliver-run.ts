import type { BegunAttempt, FinishedCall } from '@workly/services'
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
 * Delivers a run's next attempt: while the lease is held begin is committed, then the call goes out, then finish is
 * written. The queue's own
 * retries only cover this process failing before begin; everything after is the run row's to decide.
 */
export function deliverRun(
  deliveries: Deliveries,
  lease: Lease,
  deliver: (attempt: BegunAttempt) => Promise<FinishedCall | null>,
): Task {
  return async payload => {
    const { run, number } = readPayload(payload)
    await lease.held()
    const attempt = await deliveries.begin({ runId: run, taskNumber: number })
    if (!attempt) return
    try {
      const finished = await deliver(attempt)
      if (finished) await deliveries.finish(finished)
    } finally {
      deliveries.end(attempt)
    }
  }
}
