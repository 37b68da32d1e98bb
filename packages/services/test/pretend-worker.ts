import type { Sql } from '@workly/db'
import { type BegunAttempt, beginAttempts, type WantedAttempt } from '../src/attempt/begin-attempts.ts'
import { finishAttempts } from '../src/attempt/finish-attempts.ts'
import type { AttemptResult, FinishedCall } from '../src/attempt/outcome.ts'
import type { Services } from '../src/context.ts'
import { handOver } from '../src/run/hand-over.ts'
import { claimInHand, type TakenJobs } from '../src/schedule/claim-due.ts'
import { registerWorker, renewLease } from '../src/worker/register-worker.ts'

/** A task as it was fetched: the run whose next attempt it is for, and the number it was made with. */
export interface FetchedTask extends WantedAttempt {
  id: number
}

/** How a pretend target answers. */
export type Answer = Partial<AttemptResult>

export const OK: Answer = {}
export const failing = (status: number, more: Answer = {}): Answer => ({
  class: 'http_status',
  status,
  message: `The target answered ${status}.`,
  ...more,
})
export const broken = (cls: AttemptResult['class']): Answer => ({ class: cls, status: null, message: cls })

const SUCCESS: AttemptResult = {
  class: 'ok',
  message: null,
  status: 200,
  headers: {},
  body: new Uint8Array(),
  bodyTruncated: false,
  timings: { dns: 1, connect: 1, tls: 1, firstByte: 1, total: 1 },
  retryAfterMs: null,
}

/**
 * A worker that does by hand, step by step, what a worker process does by itself. It fetches tasks as graphile-worker
 * does: it locks them under its pool's name, and deletes them when they are done.
 */
export class PretendWorker {
  readonly id: string
  readonly poolId: string
  readonly #services: Services

  private constructor(services: Services, id: string, poolId: string) {
    this.#services = services
    this.id = id
    this.poolId = poolId
  }

  static async start(services: Services, poolId = `pool-${crypto.randomUUID()}`): Promise<PretendWorker> {
    const id = await registerWorker(services, { poolId, host: 'test', pid: 1, version: '0.0.0-test' })
    return new PretendWorker(services, id, poolId)
  }

  get #sql(): Sql {
    return this.#services.sql
  }

  get #now(): Date {
    return this.#services.clock?.() ?? new Date()
  }

  /** Fetches and locks tasks that are ready, oldest first. */
  async fetch(limit = 1000): Promise<FetchedTask[]> {
    const rows = await this.#sql<{ id: number; payload: { run: string; number: number } }[]>`
      with ready as materialized (
        select id from graphile_worker._private_jobs where is_available and run_at <= now()
        order by priority, run_at, id limit ${limit} for update skip locked
      )
      update graphile_worker._private_jobs t
      set attempts = t.attempts + 1, locked_by = ${this.poolId}, locked_at = now()
      from ready where t.id = ready.id
      returning t.id, t.payload`
    return rows
      .map(row => ({ id: row.id, runId: row.payload.run, taskNumber: row.payload.number }))
      .sort((a, b) => a.id - b.id)
  }

  /** Begins the attempts of tasks; the tasks stay locked, as they do while the call is under way. */
  begin(tasks: WantedAttempt[]): Promise<BegunAttempt[]> {
    return beginAttempts(this.#services, this.id, tasks, this.#now)
  }

  /** Renews the lease, as a living worker has done all the while; then fetches what there is and begins it. */
  async take(limit?: number): Promise<BegunAttempt[]> {
    await this.renew()
    const tasks = await this.fetch(limit)
    const begun = tasks.length > 0 ? await this.begin(tasks) : []
    const byRun = new Set(begun.map(b => b.run_id))
    await this.complete(tasks.filter(t => !byRun.has(t.runId)))
    return begun
  }

  finished(attempt: BegunAttempt, answer: Answer = OK): FinishedCall {
    return {
      attemptId: attempt.attempt_id,
      runId: attempt.run_id,
      fence: attempt.fence,
      finishedAt: this.#now,
      result: { ...SUCCESS, ...answer },
    }
  }

  /** Writes results; @returns the ids of the attempts that were refused. */
  async finish(attempts: BegunAttempt[], answer: Answer = OK): Promise<string[]> {
    const calls = attempts.map(attempt => this.finished(attempt, answer))
    const refused = await finishAttempts(this.#services, calls, this.#now)
    await this.#sql`
      delete from graphile_worker._private_jobs where locked_by = ${this.poolId}
        and payload ->> 'run' = any(${attempts.map(a => a.run_id)})`
    return refused
  }

  /** Takes everything there is and answers it all alike, until nothing is left that can start now. */
  async work(answer: Answer | ((attempt: BegunAttempt) => Answer) = OK): Promise<BegunAttempt[]> {
    const done: BegunAttempt[] = []
    for (;;) {
      const begun = await this.take()
      if (begun.length === 0) return done
      done.push(...begun)
      for (const attempt of begun) {
        await this.finish([attempt], typeof answer === 'function' ? answer(attempt) : answer)
      }
    }
  }

  async complete(tasks: FetchedTask[]): Promise<void> {
    await this
      .#sql`delete from graphile_worker._private_jobs where id = any(${tasks.map(t => t.id)}::bigint[])`
  }

  /** Gives back what it fetched and has not begun, as a worker does that stops. */
  async giveBack(tasks: FetchedTask[]): Promise<void> {
    await this.#sql`
      update graphile_worker._private_jobs set attempts = attempts - 1, locked_by = null, locked_at = null
      where locked_by = ${this.poolId} and id = any(${tasks.map(t => t.id)}::bigint[])`
  }

  /** Claims what is due and begins as much of it as there is room for. */
  claim(room: number, limit = 500): Promise<TakenJobs> {
    return claimInHand(this.#services, { workerId: this.id, room }, limit)
  }

  async renew(): Promise<boolean> {
    return (await renewLease(this.#services, this.id)).alive
  }

  /** A stop with everything still in flight; @returns how many calls were cut off. */
  stop(): Promise<number> {
    return handOver(this.#services, this.id)
  }
}

/** Tasks in the queue by run, newest last. */
export async function tasksOf(
  sql: Sql,
  runId: string,
): Promise<{ number: number; locked_by: string | null }[]> {
  return sql<{ number: number; locked_by: string | null }[]>`
    select (payload ->> 'number')::int as number, locked_by from graphile_worker._private_jobs
    where payload ->> 'run' = ${runId} order by id`
}

/**
 * Resolves when that many sessions of this database wait for a lock: what a test waits for before it lets the holder go.
 * @throws Error after 10 s
 */
export async function untilBlocked(sql: Sql, sessions: number): Promise<void> {
  const until = performance.now() + 10_000
  for (;;) {
    const [row] = await sql<{ n: number }[]>`
      select count(*)::int as n from pg_stat_activity
      where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`
    if ((row?.n ?? 0) >= sessions) return
    if (performance.now() > until) throw new Error(`only ${row?.n} of ${sessions} sessions wait for a lock`)
  }
}
