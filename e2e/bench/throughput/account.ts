import { cpuSeconds, peakMemoryMib } from './cpu.ts'
import type { Rig } from './rig.ts'

/** What one side did. Rates are runs a second, times milliseconds from the instant at which all were due. */
export interface Measured {
  runs: number
  /** All of them, from the due instant until the last was finished (recorded, or its task completed). */
  per_second: number
  first_arrival: number
  last_arrival: number
  finished: number
  /** Calls above one a run. */
  repeated: number
  /** Milliseconds of processor time a run, by process; the database is PostgreSQL or Redis. */
  cpu_worker: number
  cpu_database: number
  cpu_target: number
  worker_peak_mib: number | null
}

/** Processor time from its making to its closing. */
export class Account {
  readonly #rig: Rig
  readonly #worker: number
  readonly #database: number
  readonly #before: [number, number, number]

  /** By the ids of their processes. */
  constructor(rig: Rig, worker: number, database: number) {
    this.#rig = rig
    this.#worker = worker
    this.#database = database
    this.#before = this.#read()
  }

  #read(): [number, number, number] {
    return [cpuSeconds(this.#worker), cpuSeconds(this.#database), cpuSeconds(this.#rig.targetPid)]
  }

  async close(runs: number, dueMs: number, finishedMs: number): Promise<Measured> {
    const after = this.#read()
    const perRun = (n: 0 | 1 | 2) => Math.round(((after[n] - this.#before[n]) / runs) * 1e6) / 1e3
    const { calls, distinct, arrivals } = await this.#rig.seen()
    return {
      runs,
      per_second: Math.round((runs / (finishedMs - dueMs)) * 1_000),
      first_arrival: Math.min(...arrivals) - dueMs,
      last_arrival: Math.max(...arrivals) - dueMs,
      finished: finishedMs - dueMs,
      repeated: calls - distinct,
      cpu_worker: perRun(0),
      cpu_database: perRun(1),
      cpu_target: perRun(2),
      worker_peak_mib: peakMemoryMib(this.#worker),
    }
  }
}
