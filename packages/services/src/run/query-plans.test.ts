import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Explained, openExplained, wholeReads } from '../../test/explained.ts'
import { type Desk, openDesk } from '../../test/job-desk.ts'
import { PretendWorker } from '../../test/pretend-worker.ts'
import { takenAttempts } from '../attempt/taken-attempts.ts'
import type { Services } from '../context.ts'
import { listExecutions } from '../execution/list-executions.ts'
import { listJobs } from '../job/list-jobs.ts'
import { listTags } from '../job/list-tags.ts'
import { patchJob } from '../job/patch-job.ts'
import { putJob } from '../job/put-job.ts'
import { triggerJob } from '../job/trigger-job.ts'
import { createProject } from '../project/create-project.ts'
import { admitDue, nextDueAt } from '../schedule/admit-due.ts'
import { claimDue } from '../schedule/claim-due.ts'
import { cancelRun } from './cancel-run.ts'
import { getRun } from './get-run.ts'
import { listRuns } from './list-runs.ts'
import { rescueRuns } from './rescue-runs.ts'
import { retryRun } from './retry-run.ts'

const JOBS = 2_000
const RUNS_PER_JOB = 50
/** Tables that grow with jobs and time. */
const LARGE = ['runs', 'attempts', 'jobs', 'request_versions', 'schedule_versions', 'job_tags', 'job_search']

let desk: Desk
let explained: Explained
let services: Services
let worker: PretendWorker

beforeAll(async () => {
  desk = await openDesk()
  await fill()
  explained = await openExplained(desk.sql, desk.url)
  services = { ...desk.services, sql: explained.sql }
  worker = await PretendWorker.start(services)
}, 120_000)
afterAll(async () => {
  await explained?.end()
  await desk?.drop()
})
beforeEach(() => {
  explained.plans.length = 0
})

/**
 * Copies of one job, half of them in another project of the organization, each with many ended runs and an attempt for each; some have a run
 * that waits out a backoff, and some one that waits for its turn.
 */
async function fill(): Promise<void> {
  const { project } = await createProject(desk.ctx, { slug: 'other', name: 'Other' })
  const other = { ...desk.ctx, projectId: project.id }
  await desk.job({ cron: '0 0 1 1 *', overlap: 'queue' }, 'seed')
  await putJob(other, 'seed', { cron: '0 0 1 1 *', url: 'https://target.example/', overlap: 'queue' })
  const at = new Date(desk.now().getTime() - 1_800_000)
  await desk.sql.begin(async sql => {
    // Checks of foreign keys would take most of the time.
    await sql`set local session_replication_role = replica`
    const copies = (table: string, more: ReturnType<typeof sql>) => sql`
      insert into ${sql(table)} select (jsonb_populate_record(t, ${more})).*
      from ${sql(table)} t join seeds on ${table === 'jobs' ? sql`t.id` : sql`t.job_id`} = seeds.id
      cross join generate_series(1, ${JOBS}) n where n % 2 = seeds.half`
    await sql`create temporary table seeds on commit drop as
      select id, (row_number() over (order by id))::int - 1 as half from jobs`
    const id = (prefix: string) => sql`${prefix} || '_' || lpad(n::text, 26, '0')`
    await copies('request_versions', sql`jsonb_build_object('id', ${id('req')}, 'job_id', ${id('job')})`)
    await copies('schedule_versions', sql`jsonb_build_object('id', ${id('sch')}, 'job_id', ${id('job')})`)
    await copies(
      'jobs',
      sql`jsonb_build_object('id', ${id('job')}, 'name', 'job-' || n,
      'request_version_id', ${id('req')}, 'schedule_version_id', ${id('sch')})`,
    )
    // Which no trigger has done here.
    await sql`update jobs set tags = array['team-' || right(id, 2)] where name <> 'seed'`
    await sql`
      insert into job_tags (organization_id, project_id, tag, created_at, job_id)
      select organization_id, project_id, unnest(tags), created_at, id from jobs`
    await sql`
      insert into job_search (organization_id, project_id, created_at, job_id, text)
      select organization_id, project_id, created_at, id, name from jobs on conflict do nothing`
    await sql`
      insert into runs (id, organization_id, project_id, job_id, request_version_id, trigger, scheduled_for, state,
        created_at, started_at, finished_at, due_at, next_attempt_at, waits_for_turn, set_going_by, pending_at, host,
        attempts_made, attempts_counted, error_class)
      select 'run_' || lpad(r::text, 13, '0') || right(j.id, 13), j.organization_id, j.project_id, j.id,
        j.request_version_id, 'schedule', time,
        case when waits then 'pending' when open then 'running' when r % 7 = 3 then 'failed'
          else 'succeeded' end, time,
        case when not waits then time end, case when not open and not waits then time end,
        case when open or waits then ${at}::timestamptz + interval '1 day' end,
        case when open then ${at}::timestamptz + interval '1 day' end, waits, 'schedule', time, 'target.example', 1, 1,
        case when r % 7 = 3 then 'http_status' end
      from jobs j, generate_series(1, ${RUNS_PER_JOB}) r,
        lateral (select ${at}::timestamptz - (${RUNS_PER_JOB} - r) * interval '1 hour' as time,
          r = ${RUNS_PER_JOB} and right(j.id, 1) < '5' as open,
          r = ${RUNS_PER_JOB} - 1 and right(j.id, 1) < '3' as waits) t
      where j.name <> 'seed'`
    await sql`
      insert into attempts (id, organization_id, run_id, number, state, fence, started_at, finished_at)
      select 'att_' || substr(id, 5), organization_id, id, 1, 'succeeded', 1, created_at, created_at from runs`
  })
  await desk.sql`analyze`
}

/** Does something; @returns the indexes that its statements went by. */
async function indexesOf(act: () => Promise<unknown>): Promise<Set<string>> {
  await act()
  expect(explained.plans.length).toBeGreaterThan(0)
  const whole = wholeReads(explained.plans).filter(({ table }) => LARGE.includes(table))
  expect(whole.map(({ table, statement }) => `${table} in ${statement}`)).toEqual([])
  return new Set(
    explained.plans.flatMap(plan =>
      [...plan.matchAll(/(?:using|Bitmap Index Scan on) (\w+)/g)].map(m => m[1] ?? ''),
    ),
  )
}

const ctx = () => ({ ...desk.ctx, services })
const some = (n: number) => `job-${n}`

/** The run of a job that ended last. */
async function endedRun(name: string): Promise<string> {
  const run = (await desk.runs(name)).findLast(r => r.finished_at !== null)
  return run?.id ?? ''
}

test('a claim finds what is due, what is under way, and what waits, by their indexes', async () => {
  const due = ['job-2', 'job-4', 'job-6', 'job-8']
  await desk.sql`update jobs set next_run_at = ${desk.now()} where name = any(${due})`
  await desk.sql`
    update schedule_versions set cron = '* * * * *' where job_id in (select id from jobs where name = any(${due}))`
  const used = await indexesOf(async () => expect(await claimDue(services, 500)).toBe(4))
  expect([...used]).toEqual(
    expect.arrayContaining([
      'jobs_due',
      'runs_open',
      'runs_waiting_for_turn',
      'runs_waiting_in_order',
      'runs_slots',
    ]),
  )
})

test('the tick finds what has become due and what comes next by their indexes', async () => {
  const used = await indexesOf(async () => {
    await admitDue(services)
    expect(await nextDueAt(services, desk.now())).toEqual(expect.any(Date))
  })
  expect([...used]).toEqual(expect.arrayContaining(['runs_waiting_by_time', 'jobs_due']))
})

test('begin and finish go by the ids of runs, jobs and attempts', async () => {
  await triggerJob(ctx(), some(1006))
  await triggerJob(ctx(), some(1018))
  explained.plans.length = 0
  const used = await indexesOf(async () => {
    const begun = await worker.take()
    expect(begun.length).toBeGreaterThan(1)
    expect(await worker.finish(begun)).toEqual([])
  })
  expect([...used]).toEqual(
    expect.arrayContaining(['runs_pkey', 'jobs_pkey', 'attempts_pkey', 'runs_waiting_in_order']),
  )
})

test('a trigger, an edit, a cancel and a retry touch only their job', async () => {
  const ended = await endedRun(some(1008))
  const used = await indexesOf(async () => {
    const run = await triggerJob(ctx(), some(1026))
    await patchJob(ctx(), some(1026), { overlap: 'allow' })
    await patchJob(ctx(), some(1026), { overlap: 'queue' })
    await cancelRun(ctx(), run.id)
    await retryRun(ctx(), ended)
  })
  expect([...used]).toEqual(
    expect.arrayContaining(['jobs_live_name', 'runs_open', 'runs_pkey', 'runs_waiting_for_turn']),
  )
})

test('a sweep finds the dead, what they held, what has no task and what was left by their indexes', async () => {
  await triggerJob(ctx(), some(1010))
  await worker.take()
  desk.advance(16_000)
  explained.plans.length = 0
  const used = await indexesOf(async () =>
    expect(await rescueRuns(services, true)).toMatchObject({ deadWorkers: [worker.id], lostAttempts: 1 }),
  )
  expect([...used]).toEqual(
    expect.arrayContaining([
      'workers_live',
      'runs_waiting_by_host',
      'runs_waiting_by_time',
      'runs_waiting_for_turn',
    ]),
  )
  worker = await PretendWorker.start(services)
})

test('lists go by the newest first, for the project and for a job, page by page', async () => {
  const used = await indexesOf(async () => {
    const first = await listRuns(ctx(), { limit: 200 })
    expect(first.data).toHaveLength(200)
    expect((await listRuns(ctx(), { limit: 200, cursor: first.next_cursor ?? '' })).data).toHaveLength(200)
    const ofJob = await listRuns(ctx(), { job: some(16), limit: 20 })
    await listRuns(ctx(), { job: some(16), limit: 20, cursor: ofJob.next_cursor ?? '' })
    const jobs = await listJobs(ctx(), { limit: 100 })
    await listJobs(ctx(), { limit: 100, cursor: jobs.next_cursor ?? '' })
  })
  expect([...used]).toEqual(expect.arrayContaining(['runs_of_project', 'runs_of_job', 'jobs_list']))
})

test('no list of runs walks the runs of others, whatever share of them the project or the job is taken for', async () => {
  const used = await indexesOf(async () => {
    await listRuns(ctx(), { limit: 200 })
    await listRuns(ctx(), { job: some(16), limit: 200 })
    await listRuns(ctx(), { trigger: 'schedule', state: 'succeeded' })
    await listExecutions(ctx(), { limit: 1_000 })
  })
  // The primary key has the same order, so it is what a planner would walk that looks only at shares.
  expect([...used]).not.toContain('runs_pkey')
})

test('filters of lists find the few among many by indexes that hold nothing else', async () => {
  const used = await indexesOf(async () => {
    for (const state of ['pending', 'running', 'failed', 'cancelled', 'skipped'] as const) {
      await listRuns(ctx(), { state })
    }
    await listRuns(ctx(), { state: 'failed', job: some(16) })
    await listRuns(ctx(), { trigger: 'manual' })
    await listRuns(ctx(), { to: '2026-01-01T00:00:00Z' })
    await listJobs(ctx(), { state: 'paused' })
    await listJobs(ctx(), { kind: 'image' })
    await listRuns(ctx(), { job: some(16), to: '2026-01-01T00:00:00Z' })
    expect((await listJobs(ctx(), { tag: 'team-16' })).data.length).toBeGreaterThan(5)
    expect((await listJobs(ctx(), { search: 'OB-1' })).data.length).toBeGreaterThan(5)
    expect((await listTags(ctx())).length).toBe(50)
  })
  expect([...used]).toEqual(
    expect.arrayContaining([
      'runs_open_of_project',
      'runs_failed',
      'runs_cancelled',
      'runs_skipped',
      'runs_failed_of_job',
      'runs_by_hand',
      'runs_made_late',
      'jobs_idle',
      'jobs_of_kind',
      'runs_made_late_of_job',
      'job_tags_pkey',
      'job_search_pkey',
    ]),
  )
  expect([...used]).not.toContain('runs_pkey')
})

test('the history goes by the newest first, for the project, a job and a type, its attempts and steps by their runs', async () => {
  const used = await indexesOf(async () => {
    const all = await listExecutions(ctx(), { limit: 1_000 })
    expect(all).toHaveLength(1_000)
    expect((await listExecutions(ctx(), { job: some(16) })).length).toBeGreaterThan(40)
    expect(await listExecutions(ctx(), { kind: 'http' })).toHaveLength(100)
    expect(await listExecutions(ctx(), { kind: 'image' })).toEqual([])
    expect((await listExecutions(ctx(), { kind: 'pipeline' })).length).toBe(0)
  })
  expect([...used]).toEqual(
    expect.arrayContaining([
      'runs_of_project',
      'runs_of_job',
      'runs_of_pipelines',
      'runs_of_images',
      'attempts_run_id_step_id_number_key',
    ]),
  )
  // One statement each, and no scan for each row of a page beyond its own attempts and steps.
  expect(explained.plans.length).toBe(5)
})

test('a run, its attempts, and which attempts are still open are looked up by id', async () => {
  const id = await endedRun(some(18))
  const used = await indexesOf(async () => {
    await getRun(ctx(), id)
    const [attempt] = await desk.attempts(id)
    expect(await takenAttempts(services, [attempt?.id ?? ''])).toEqual([attempt?.id])
  })
  expect([...used]).toEqual(expect.arrayContaining(['attempts_run_id_step_id_number_key']))
})
