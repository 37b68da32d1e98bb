import type { SeenRun } from './internals.ts'
import type { Outcome } from './load.ts'

/**
 * A run of the load takes some 0.3 s. What took longer than this, and than any run before the fault did on a machine
 * that others keep busy, was held up by it.
 */
const ON_TIME_MS = 1_000

/** What a fault's test has measured, for the table at the end of `npm run faults`. */
export interface Measured {
  runs: number
  calls: number
  /** Attempts that ended as lost, each followed by another. */
  lost: number
  /** From the beginning of the fault to its end, in seconds; null for one of an instant. */
  lasted_s: number | null
  /** From the beginning of the fault to the end of the last run that it held up, in seconds. */
  recovered_s: number | null
  /** Whatever else is worth telling. */
  notes: string[]
}

/** Takes down when a fault began and ended, and reckons what it did. */
export class FaultRecord {
  readonly #began: number[] = []
  #ended: number | null = null
  readonly measured: Measured = { runs: 0, calls: 0, lost: 0, lasted_s: null, recovered_s: null, notes: [] }

  /** The fault begins now, once more where it comes again and again. */
  begins(): void {
    this.#began.push(Date.now())
  }

  ends(): void {
    this.#ended = Date.now()
  }

  /** How long the fault has lasted, in milliseconds. */
  get lastedMs(): number {
    return this.#ended === null ? 0 : this.#ended - (this.#began[0] ?? this.#ended)
  }

  note(text: string): void {
    this.measured.notes.push(text)
  }

  /** From the outcome of the load under which the fault was. */
  take({ runs, attempts, calls }: Outcome): void {
    const m = this.measured
    m.runs += runs.length
    m.calls += calls
    m.lost += attempts.filter(a => a.state === 'lost').length
    if (this.#ended !== null) m.lasted_s = seconds(this.lastedMs)
    const first = this.#began[0] ?? 0
    const before = runs.filter(run => (run.finished_at?.getTime() ?? first) < first).map(took)
    const onTimeMs = Math.max(ON_TIME_MS, ...before)
    const late = runs.filter(run => took(run) > onTimeMs)
    // Of a fault that came several times: the longest that one of them was felt.
    const felt = this.#began.map((began, n) => {
      const next = this.#began[n + 1] ?? Number.POSITIVE_INFINITY
      const ends = late
        .filter(run => run.scheduled_for.getTime() < next)
        .map(run => run.finished_at?.getTime() ?? 0)
      return Math.max(0, ...ends.map(end => end - began))
    })
    m.recovered_s = seconds(Math.max(m.recovered_s === null ? 0 : m.recovered_s * 1_000, 0, ...felt))
  }
}

function took(run: SeenRun): number {
  return run.finished_at ? run.finished_at.getTime() - run.scheduled_for.getTime() : 0
}

function seconds(ms: number): number {
  return Math.round(ms / 100) / 10
}
