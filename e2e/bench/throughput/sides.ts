import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Sql } from '@workly/db'
import { Logger, runMigrations } from 'graphile-worker'
import { Child } from './child.ts'
import { cpuSeconds, peakMemoryMib } from './cpu.ts'
import type { Rig } from './rig.ts'
import { makeDue, PAYLOAD } from './seed.ts'

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
  /** Milliseconds of processor time a run, by process. */
  cpu_worker: number
  cpu_postgres: number
  cpu_target: number
  worker_peak_mib: number | null
}

/** Calls that each side has made before it is measured. */
const WARM_UP = 500
/** Making jobs due and tidying up behind it takes that long, on a busy machine, and a millisecond for each. */
const READY_MS = 8_000
/** How long a side may take. */
const LIMIT_MS = 180_000
const LOOK_EVERY_MS = 20

async function untilTrue(what: string, check: () => Promise<boolean>): Promise<void> {
  const limit = performance.now() + LIMIT_MS
  while (!(await check())) {
    if (performance.now() > limit) throw new Error(`${what}: not within ${LIMIT_MS / 1000} s`)
    await delay(LOOK_EVERY_MS)
  }
}

async function endedRuns(sql: Sql): Promise<number> {
  const [row] = await sql<{ n: number }[]>`select count(*)::int as n from runs where finished_at is not null`
  return row?.n ?? 0
}

class Account {
  readonly #rig: Rig
  readonly #worker: number
  readonly #before: [number, number, number]

  constructor(rig: Rig, worker: number) {
    this.#rig = rig
    this.#worker = worker
    this.#before = this.#read()
  }

  #read(): [number, number, number] {
    return [cpuSeconds(this.#worker), cpuSeconds(this.#rig.postgres.pid), cpuSeconds(this.#rig.targetPid)]
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
      cpu_postgres: perRun(1),
      cpu_target: perRun(2),
      worker_peak_mib: peakMemoryMib(this.#worker),
    }
  }
}

/** Workly's worker on jobs that are all due at one instant. */
export async function measureWorkly(
  rig: Rig,
  jobs: number,
  env: NodeJS.ProcessEnv,
  nodeFlags: string[],
): Promise<Measured> {
  const { sql } = rig.services
  const worker = await rig.startWorker(env, nodeFlags)
  try {
    // A worker that has made some calls already, as on any day but its first.
    await makeDue(sql, new Date(), WARM_UP)
    await untilTrue('the worker is warm', async () => (await endedRuns(sql)) >= WARM_UP)
    await sql`delete from attempts`
    await sql`delete from runs`
    const due = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + READY_MS + jobs)
    await makeDue(sql, due)
    await sql`vacuum analyze`.simple()
    await sql`checkpoint`.simple()
    if (Date.now() > due.getTime() - 500) throw new Error('the jobs were not ready in time')
    await rig.forget()
    await delay(Math.max(0, due.getTime() - Date.now() - 300))
    const account = new Account(rig, worker.pid)
    await untilTrue('every run is finished', async () => {
      if ((await targetCalls(rig, due)) < jobs) return false
      return (await endedRuns(sql)) === jobs
    })
    const [ended] = await sql<{ at: Date; succeeded: number; attempts: number }[]>`
      select max(finished_at) as at, (count(*) filter (where state = 'succeeded'))::int as succeeded,
        (select count(*)::int from attempts where state = 'succeeded' and response_status = 200) as attempts
      from runs`
    if (ended?.succeeded !== jobs || ended.attempts !== jobs)
      throw new Error(
        `${ended?.succeeded} runs of ${jobs} succeeded, ${ended?.attempts} attempts are recorded`,
      )
    return await account.close(jobs, due.getTime(), ended.at.getTime())
  } finally {
    await worker.end()
  }
}

async function targetCalls(rig: Rig, due: Date): Promise<number> {
  if (Date.now() < due.getTime()) return 0
  return rig.calls()
}

/** graphile-worker and undici alone, on as many tasks that are put into the queue at one instant. */
export async function measureBare(rig: Rig, sql: Sql, url: string, tasks: number, concurrency: number) {
  await runMigrations({ connectionString: url, logger: new Logger(() => () => undefined) })
  const bare = fileURLToPath(new URL('bare.ts', import.meta.url))
  const [worker] = await Child.start([bare, url, String(concurrency)], {}, line => line === 'ready')
  const completed = () =>
    untilTrue('every task is completed', async () => {
      const [row] = await sql<{ n: number }[]>`select count(*)::int as n from graphile_worker._private_jobs`
      return row?.n === 0
    })
  try {
    await addTasks(sql, rig.targetUrl, WARM_UP)
    await completed()
    await sql`vacuum analyze`.simple()
    await sql`checkpoint`.simple()
    await rig.forget()
    const account = new Account(rig, worker.pid)
    await addTasks(sql, rig.targetUrl, tasks)
    // From here on its tasks are in the queue: making them is not counted against it.
    const due = Date.now()
    await completed()
    return await account.close(tasks, due, Date.now())
  } finally {
    await worker.end()
  }
}

async function addTasks(sql: Sql, url: string, tasks: number): Promise<void> {
  const body = JSON.stringify(PAYLOAD)
  await sql`
    select count(*) from (select array_agg(row('post',
      json_build_object('url', ${url}::text, 'task', n::text, 'body', ${body}::text),
      null, null, null, null, null, null)::graphile_worker.job_spec) as specs from generate_series(1, ${tasks}) n) s
    cross join lateral graphile_worker.add_jobs(s.specs)`
}
