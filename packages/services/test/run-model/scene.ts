import type { BegunAttempt } from '../../src/attempt/begin-attempts.ts'
import type { FetchedTask, PretendWorker } from '../pretend-worker.ts'
import type { Snapshot } from './snapshot.ts'

/** A rule that does not hold, with the steps that led there. */
export class Broken extends Error {}

/** What a step is about, where the rules for transitions depend on it. */
export interface StepHint {
  retried?: string
  cancelled?: string
  deletes?: boolean
  backfills?: boolean
  /** A job's settings are written, or a run by hand is made, in the same step as due times are settled. */
  edits?: boolean
  becomesQueue?: boolean
}

/** A call as the pretend target knows it. */
export interface Call extends BegunAttempt {
  worker: ModelWorker
  /** What became of its result; null while the call is under way, or its worker died before it told. */
  outcome: 'accepted ok' | 'accepted failure' | 'refused' | null
  /** How a callback, or the end of the wait for it, has decided the attempt. */
  reported: 'ok' | 'failure' | null
}

/** Whether it is done when the target reports. */
export function waitsForCallback({ request }: Call): boolean {
  return request.kind === 'http' ? request.response !== 'sync' : request.max_wait_seconds !== null
}

/** Whether the target may report: a container that is done by its exit may as well. */
export function mayReport(call: Call): boolean {
  return call.request.kind === 'image' || waitsForCallback(call)
}

/** A container as its watcher knows it, until it is gone. */
export interface ModelContainer {
  handle_id: string
  call: Call
  worker: ModelWorker
  isStarted: boolean
  isEnded: boolean
}

/** A worker, with what it has fetched and what it is calling. */
export interface ModelWorker {
  hands: PretendWorker
  tasks: FetchedTask[]
  calling: Call[]
}

/** What the rules are checked against besides the database. */
export interface Scene {
  /** The clock, in milliseconds. */
  readonly clock: number
  /** When the last sweep was. */
  readonly lastSweep: number
  /** Whether tasks were lost since. */
  readonly lostTasks: boolean
  readonly bounds: { total: number; perHost: number }
  /** Every call that the target was sent, by attempt. */
  readonly calls: ReadonlyMap<string, Call>
  /** By job: runs that had begun when it became a queue. */
  readonly begunBeforeQueue: ReadonlyMap<string, ReadonlySet<string>>
  /** How the database stood before the step. */
  readonly last: Snapshot
}
