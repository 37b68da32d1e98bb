import type { Sql } from '@workly/db'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Desk, openDesk } from '../../test/job-desk.ts'
import { PretendWorker } from '../../test/pretend-worker.ts'
import { DAY_MS, fresh, HOUR_MS } from '../../test/tenants.ts'
import { deleteJob } from '../job/delete-job.ts'
import { pauseJob } from '../job/pause-job.ts'
import { putJob } from '../job/put-job.ts'
import { triggerJob } from '../job/trigger-job.ts'
import { BEFORE_ALL } from '../run/prune-runs.ts'
import { newPruneProgress, type Pruned, type PruneProgress, prune } from './prune.ts'

const WEEK = { runsMs: 7 * DAY_MS, auditMs: 400 * DAY_MS }

let desk: Desk
let worker: PretendWorker
beforeAll(async () => {
  desk = await openDesk()
})
afterAll(() => desk?.drop())
beforeEach(async () => {
  await desk.clear()
  for (const table of ['callback_tokens', 'attempts', 'steps', 'runs', 'sign_in_tokens']) {
    await desk.sql`delete from ${desk.sql(table)}`
  }
  worker = await PretendWorker.start(desk.services)
})

const round = (progress: PruneProgress = newPruneProgress(), signal?: AbortSignal): Promise<Pruned | null> =>
  prune(desk.services, WEEK, progress, signal)

/** A job that fires once a year, with as many runs by hand that have ended. */
async function jobWithRuns(runs: number, settings: object = {}, name = fresh('job')): Promise<string> {
  await putJob(desk.ctx, name, {
    cron: '0 0 1 1 *',
    url: 'https://target.example/',
    overlap: 'allow',
    ...settings,
  })
  for (let i = 0; i < runs; i++) {
    await triggerJob(desk.ctx, name)
    desk.advance(1)
  }
  await worker.renew()
  await worker.work()
  return name
}

async function idOf(name: string): Promise<string> {
  const [job] = await desk.sql<
    { id: string }[]
  >`select id from jobs where name = ${name} and deleted_at is null`
  if (!job) throw new Error(`there is no job ${name}`)
  return job.id
}

async function countOf(sql: Sql, table: string, jobId: string): Promise<number> {
  const [row] = await sql<{ n: number }[]>`
    select count(*)::int as n from ${sql(table)} where job_id = ${jobId}`
  return row?.n ?? 0
}

const JOBS_TABLES = [
  'runs',
  'request_versions',
  'schedule_versions',
  'pause_intervals',
  'secret_values',
  'alert_rules',
]

test('every row of a deleted job goes, and the job itself; handles of its containers stay', async () => {
  const secret = { headers: { 'X-Key': { secret: 'hush' } } }
  const name = await jobWithRuns(3, secret)
  const id = await idOf(name)
  await pauseJob(desk.ctx, name)
  const owner = { organization_id: desk.ctx.organizationId, project_id: desk.ctx.projectId }
  const rule = { id: fresh('alr'), organization_id: owner.organization_id }
  await desk.sql`
    insert into alert_rules ${desk.sql({ ...owner, ...rule, job_id: id, name: fresh('rule'), condition: {}, channels: [], created_at: desk.now(), updated_at: desk.now() })}`
  await desk.sql`
    insert into incidents ${desk.sql({ id: fresh('inc'), organization_id: rule.organization_id, alert_rule_id: rule.id, job_id: id, opened_at: desk.now() })}`
  await desk.sql`
    insert into container_handles (id, organization_id, project_id, job_id, run_id, attempt_id, executor, namespace, name,
      created_at, deadline_at)
    select ${fresh('con')}, r.organization_id, r.project_id, r.job_id, r.id, a.id, 'docker', 'workly', ${fresh('box')},
      a.started_at, a.started_at
    from attempts a join runs r on r.id = a.run_id where r.job_id = ${id} limit 1`
  for (const table of JOBS_TABLES) expect(await countOf(desk.sql, table, id)).toBeGreaterThan(0)
  const other = await idOf(await jobWithRuns(1, secret))
  await deleteJob(desk.ctx, name)

  expect(await round()).toMatchObject({ runs: 0, other: 3 + 1 })

  for (const table of JOBS_TABLES) expect(await countOf(desk.sql, table, id)).toBe(0)
  expect(await desk.sql`select 1 from jobs where id = ${id}`).toHaveLength(0)
  expect(
    await desk.sql`select 1 from attempts a where not exists (select from runs r where r.id = a.run_id)`,
  ).toEqual([])
  expect(await desk.sql`select 1 from container_handles`).toHaveLength(1)
  for (const table of ['runs', 'request_versions', 'secret_values']) {
    expect(await countOf(desk.sql, table, other)).toBe(1)
  }
  // Once its container is gone, the handle goes too.
  await desk.sql`update container_handles set gone_at = ${desk.now()}`
  await round()
  expect(await desk.sql`select 1 from container_handles`).toHaveLength(0)
})

test('a deleted job with more runs than a batch takes goes whole in one round; one that is locked waits', async () => {
  const [many, locked] = [await jobWithRuns(1), await jobWithRuns(1)]
  const ids = [await idOf(many), await idOf(locked)]
  await desk.sql`
    insert into runs (id, organization_id, project_id, job_id, request_version_id, trigger, scheduled_for, state,
      skip_reason, created_at, finished_at, set_going_by, pending_at, host)
    select 'run_' || lpad(n::text, 26, '0'), r.organization_id, r.project_id, r.job_id, r.request_version_id, 'schedule',
      r.scheduled_for - n * interval '1 second', 'skipped', 'overlap', r.created_at, r.created_at, 'schedule',
      r.created_at, r.host
    from runs r, generate_series(1, 1100) as n where r.job_id = ${ids[0] ?? ''}`
  for (const name of [many, locked]) await deleteJob(desk.ctx, name)
  const held = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const holder = desk.sql.begin(async sql => {
    await sql`select id from jobs where id = ${ids[1] ?? ''} for no key update`
    held.resolve()
    await release.promise
  })
  await held.promise
  expect(await round()).toMatchObject({ other: 1101 + 1 })
  release.resolve()
  await holder
  expect(await round()).toMatchObject({ other: 2 })
  expect(await desk.sql`select 1 from jobs where id = any(${ids})`).toHaveLength(0)
})

const request = (n: number, value?: string) => ({
  cron: '0 0 1 1 *',
  url: `https://target.example/${n}`,
  ...(value !== undefined && { headers: { 'X-Key': { secret: value } } }),
})

test('versions that no run refers to go, the present one and those that runs were made with stay', async () => {
  const name = fresh('job')
  const versions = () =>
    desk.sql<{ url: string }[]>`
      select request ->> 'url' as url from request_versions v join jobs j on j.id = v.job_id
      where j.name = ${name} order by v.id`.then(rows => rows.map(row => row.url.at(-1)))
  for (const n of [1, 2, 3, 4, 5]) {
    desk.advance(1_000)
    await putJob(desk.ctx, name, request(n))
    if (n === 2 || n === 4) await triggerJob(desk.ctx, name)
  }
  await worker.renew()
  await worker.work()
  expect(await versions()).toEqual(['1', '2', '3', '4', '5'])
  await round()
  expect(await versions()).toEqual(['2', '4', '5'])
  // With its run the version goes; that of the job's latest run stays with it.
  desk.advance(8 * DAY_MS)
  await round()
  expect(await versions()).toEqual(['4', '5'])
})

test('a version stays for its run though the clock was set back between them', async () => {
  const name = fresh('job')
  await putJob(desk.ctx, name, request(1))
  desk.advance(-HOUR_MS)
  const run = await triggerJob(desk.ctx, name)
  desk.advance(2 * HOUR_MS)
  await putJob(desk.ctx, name, request(2))
  await round()
  const [row] = await desk.sql`
    select v.request ->> 'url' as url from runs r join request_versions v on v.id = r.request_version_id
    where r.id = ${run.id}`
  expect(row).toEqual({ url: 'https://target.example/1' })
})

test('secrets go with the last version that refers to them', async () => {
  const name = fresh('job')
  await putJob(desk.ctx, name, request(1, 'first'))
  await triggerJob(desk.ctx, name)
  await worker.renew()
  await worker.work()
  desk.advance(1_000)
  await putJob(desk.ctx, name, request(1, 'second'))
  desk.advance(1_000)
  await putJob(desk.ctx, name, request(1, 'third'))
  await triggerJob(desk.ctx, name)
  await worker.work()
  const id = await idOf(name)
  expect(await countOf(desk.sql, 'secret_values', id)).toBe(3)
  await round()
  expect(await countOf(desk.sql, 'secret_values', id)).toBe(2)
  desk.advance(8 * DAY_MS)
  await round()
  expect(await countOf(desk.sql, 'secret_values', id)).toBe(1)
  // What is left is the one in use.
  await putJob(desk.ctx, name, request(1))
  const kept = await desk.sql`select id from secret_values where job_id = ${id}`
  const [version] = await desk.sql<{ request: { headers: object } }[]>`
    select v.request from runs r join request_versions v on v.id = r.request_version_id where r.job_id = ${id}`
  expect(version?.request.headers).toEqual({ 'X-Key': { secret_value: kept[0]?.id } })
})

test('secrets within the steps of a pipeline are seen too', async () => {
  const name = fresh('job')
  await putJob(desk.ctx, name, request(1, 'hush'))
  const id = await idOf(name)
  await desk.sql`
    update request_versions set request = json_build_object('kind', 'pipeline', 'steps',
      json_build_array(json_build_object('id', 'one', 'env', request -> 'headers')))
    where job_id = ${id}`
  await round()
  expect(await countOf(desk.sql, 'secret_values', id)).toBe(1)
})

test('idempotency keys go after 24 hours, sign-in tokens when they are past their time', async () => {
  const { organizationId, projectId } = desk.ctx
  const key = (name: string, createdAt: Date) => ({
    organization_id: organizationId,
    project_id: projectId,
    method: 'POST',
    path: '/v1/jobs/x/trigger',
    key: name,
    body_hash: Buffer.from('x'),
    created_at: createdAt,
  })
  const at = (ms: number) => new Date(desk.now().getTime() + ms)
  await desk.sql`insert into idempotency_keys ${desk.sql([key('old', at(-DAY_MS - 1)), key('young', at(-DAY_MS + 1))])}`
  await desk.sql`
    insert into sign_in_tokens ${desk.sql([
      { identifier: 'a@example.com', token: 'past', expires: at(-1) },
      { identifier: 'a@example.com', token: 'future', expires: at(1_000) },
    ])}`
  expect(await round()).toMatchObject({ other: 2 })
  expect(await desk.sql`select key from idempotency_keys`).toEqual([{ key: 'young' }])
  expect(await desk.sql`select token from sign_in_tokens`).toEqual([{ token: 'future' }])
})

test('workers go a day after they stopped or were lost, but not while an attempt of theirs is open', async () => {
  const gone = async (column: 'stopped_at' | 'lost_at', agoMs: number) => {
    const { id } = await PretendWorker.start(desk.services)
    await desk.sql`
      update workers set ${desk.sql({ [column]: new Date(desk.now().getTime() - agoMs) })} where id = ${id}`
    return id
  }
  await desk.sql`delete from workers where id <> ${worker.id}`
  const recent = [await gone('stopped_at', DAY_MS - 1_000), await gone('lost_at', DAY_MS - 1_000)]
  await gone('stopped_at', DAY_MS + 1_000)
  await gone('lost_at', DAY_MS + 1_000)
  const name = await jobWithRuns(0)
  await triggerJob(desk.ctx, name)
  const holding = await PretendWorker.start(desk.services)
  await holding.take()
  await desk.sql`
    update workers set lost_at = ${new Date(desk.now().getTime() - 2 * DAY_MS)} where id = ${holding.id}`
  await round()
  const left = await desk.sql<{ id: string }[]>`select id from workers`
  expect(left.map(row => row.id).sort()).toEqual([worker.id, ...recent, holding.id].sort())
})

test('tasks that were given up go, others stay', async () => {
  await desk.sql`select graphile_worker.add_job('deliver-run', json_build_object('run', 'a'))`
  await desk.sql`select graphile_worker.add_job('deliver-run', json_build_object('run', 'b'), max_attempts => 1)`
  await desk.sql`
    update graphile_worker._private_jobs set attempts = 1, last_error = 'broke' where payload ->> 'run' in ('a', 'b')`
  await round()
  const left = await desk.sql<{ run: string }[]>`
    select payload ->> 'run' as run from graphile_worker._private_jobs`
  expect(left.map(row => row.run)).toEqual(['a'])
})

test('one worker does it at a time; when it has ended, or died, another can', async () => {
  const held = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const other = desk.sql
    .begin(async sql => {
      // Locks what the round itself would lock first.
      await sql`lock table sign_in_tokens in access exclusive mode`
      held.resolve()
      await release.promise
    })
    .catch(() => undefined)
  await held.promise
  const first = round()
  const locks = () =>
    desk.sql`select 1 from pg_locks where locktype = 'advisory' and objid = 7337002 and granted
      and database = (select oid from pg_database where datname = current_database())`
  while ((await locks()).length === 0) await new Promise(setImmediate)
  expect(await round()).toBeNull()
  release.resolve()
  await other
  expect(await first).not.toBeNull()
  expect(await round()).not.toBeNull()
})

test('a round that is to end does so after the batch at hand, and the next goes on', async () => {
  const name = await jobWithRuns(4)
  await jobWithRuns(4)
  desk.advance(8 * DAY_MS)
  const progress = newPruneProgress()
  expect(await round(progress, AbortSignal.abort())).toEqual({ runs: 0, other: 0 })
  expect(progress.runs).toEqual(BEFORE_ALL)
  expect(await round(progress)).toMatchObject({ runs: 6 })
  expect(await desk.runs(name)).toHaveLength(1)
})

test('a round goes on behind what the last one looked at; once an hour it looks at everything again', async () => {
  const progress = newPruneProgress()
  const name = await jobWithRuns(1)
  desk.advance(8 * DAY_MS)
  expect(await round(progress)).toMatchObject({ runs: 0 })
  const [kept] = await desk.runs(name)
  expect(progress.runs).toEqual({ finishedAt: kept?.finished_at, id: kept?.id })
  // A newer run makes the old one removable; it is behind the place reached.
  await triggerJob(desk.ctx, name)
  await worker.renew()
  await worker.work()
  desk.advance(HOUR_MS - 1)
  expect(await round(progress)).toMatchObject({ runs: 0 })
  desk.advance(1)
  expect(await round(progress)).toMatchObject({ runs: 1 })
})

test('the next round comes back to where something had to be left', async () => {
  const progress = newPruneProgress()
  const [held, free] = [await jobWithRuns(2), await jobWithRuns(2)]
  desk.advance(8 * DAY_MS)
  const locked = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const holder = desk.sql.begin(async sql => {
    await sql`select id from jobs where name = ${held} for no key update`
    locked.resolve()
    await release.promise
  })
  await locked.promise
  expect(await round(progress)).toMatchObject({ runs: 1 })
  release.resolve()
  await holder
  expect(await round(progress)).toMatchObject({ runs: 1 })
  for (const name of [held, free]) expect(await desk.runs(name)).toHaveLength(1)
})

test('entries of the audit log go once they are older than they are kept, whoever’s they are', async () => {
  const audit = (days: number, n: number) => desk.sql`
    insert into audit_entries (id, organization_id, actor_kind, actor_name, action, subject_kind, subject_id,
      subject_name, created_at)
    select 'aud_' || ${days}::text || '_' || i, ${desk.ctx.organizationId}, 'system', 'test', 'test.old', 'test', 'x', 'x',
      ${new Date(desk.now().getTime() - days * DAY_MS)} from generate_series(1, ${n}) i`
  await audit(401, 2_300)
  await audit(399, 2)
  await round()
  const [left] = await desk.sql`
    select count(*)::int as n, min(created_at) as oldest from audit_entries where action = 'test.old'`
  expect(left).toEqual({ n: 2, oldest: new Date(desk.now().getTime() - 399 * DAY_MS) })
})
