import { fileURLToPath } from 'node:url'
import type { Sql } from '@workly/db'
import { Logger, runMigrations } from 'graphile-worker'
import { Account, type Measured } from './account.ts'
import { armed, endedRuns, untilTrue, WARM_UP } from './armed.ts'
import { Child } from './child.ts'
import type { Rig } from './rig.ts'
import { PAYLOAD } from './seed.ts'

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
    const due = await armed(rig, jobs)
    const account = new Account(rig, worker.pid, rig.postgres.pid)
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
    const account = new Account(rig, worker.pid, rig.postgres.pid)
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
