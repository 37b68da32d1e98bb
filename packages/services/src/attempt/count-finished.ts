import { Tally } from '../metrics/tally.ts'
import type { Outcome } from './outcome.ts'

/** What a batch adds to its projects' counters: attempts by class, runs by state, and how long they took. */
export function countFinished(outcomes: Outcome[]): Tally {
  const tally = new Tally()
  for (const { run, call, state, waitsUntil } of outcomes) {
    const { result } = call
    // One that waits for its callback is counted when that decides it.
    if (waitsUntil === null) tally.attempt(run, result.class)
    tally.took(run, 'start_delay', run.start_delay_ms)
    tally.took(run, 'delivery', result.timings.total)
    if (state !== 'running') tally.run(run, state, state === 'failed' ? result.class : undefined)
  }
  return tally
}
