import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Explained, openExplained, wholeReads } from '../../test/explained.ts'
import { type Desk, openDesk } from '../../test/job-desk.ts'
import { putJob } from '../job/put-job.ts'
import { renderOperatorMetrics } from '../metrics/render-operator-metrics.ts'
import { newPruneProgress, prune } from './prune.ts'

const JOBS = 3_000
const RUNS_PER_JOB = 10
/** Tables that grow with jobs and time. */
const LARGE = [
  'runs',
  'attempts',
  'jobs',
  'request_versions',
  'schedule_versions',
  'pause_intervals',
  'secret_values',
]

let desk: Desk
let explained: Explained
beforeAll(async () => {
  desk = await openDesk()
  await putJob(desk.ctx, 'seed', { cron: '0 0 1 1 *', url: 'https://target.example/' })
  await fill()
  explained = await openExplained(desk.sql, desk.url)
})
afterAll(async () => {
  await explained?.end()
  await desk?.drop()
})

/** Copies of one job, with runs that ended over two weeks; every third job is deleted. */
async function fill(): Promise<void> {
  const { sql } = desk
  const now = desk.now()
  await sql`
    insert into jobs select (json_populate_record(j, json_build_object('id', 'job_' || lpad(n::text, 26, '0'),
      'name', 'job-' || n, 'request_version_id', 'req_' || lpad(n::text, 26, '0'),
      'deleted_at', case when n % 3 = 0 then ${now}::timestamptz end,
      'next_run_at', case when n % 3 <> 0 then j.next_run_at end))).*
    from jobs j, generate_series(1, ${JOBS}) n where j.name = 'seed'`
  await sql`
    insert into request_versions (id, organization_id, job_id, request, host, created_at)
    select 'req_' || lpad((n + ${JOBS} * old)::text, 26, '0'), organization_id, 'job_' || lpad(n::text, 26, '0'), request,
      host, created_at
    from request_versions, generate_series(1, ${JOBS}) n, generate_series(0, 1) old`
  await sql`
    insert into schedule_versions select (json_populate_record(v, json_build_object('id', 'sch_' || n,
      'job_id', 'job_' || lpad(n::text, 26, '0'), 'valid_to', ${now}::timestamptz))).*
    from schedule_versions v, generate_series(1, ${JOBS}) n`
  await sql`
    insert into pause_intervals (id, organization_id, job_id, paused_at, resumed_at)
    select 'pau_' || id, organization_id, id, created_at, created_at from jobs`
  await sql`
    insert into secret_values (id, organization_id, job_id, ciphertext, encryption_key_id, created_at)
    select 'sec_' || id, organization_id, id, '\\x00', 'k1', created_at from jobs`
  await sql`
    insert into runs (id, organization_id, project_id, job_id, request_version_id, trigger, scheduled_for, state,
      created_at, started_at, finished_at, set_going_by, pending_at, host)
    select 'run_' || lpad(r::text, 13, '0') || right(j.id, 13), j.organization_id, j.project_id, j.id,
      j.request_version_id, 'schedule', at, 'succeeded', at, at, at, 'schedule', at, 'target.example'
    from jobs j, generate_series(1, ${RUNS_PER_JOB}) r,
      lateral (select ${now}::timestamptz - (${RUNS_PER_JOB} - r) * interval '36 hours' as at) t
    where j.name <> 'seed'`
  await sql`
    insert into attempts (id, organization_id, run_id, number, state, fence, started_at, finished_at)
    select 'att_' || substr(id, 5), organization_id, id, 1, 'succeeded', 1, started_at, finished_at from runs`
  await sql`vacuum analyze`
}

/** Statements that read one of the large tables from end to end. */
const wholeReadsOfLarge = () => wholeReads(explained.plans).filter(({ table }) => LARGE.includes(table))

test('a round of retention finds what it removes by indexes, and so do the checks of foreign keys', async () => {
  const services = { ...desk.services, sql: explained.sql }
  const before = await desk.sql<{ n: number }[]>`select count(*)::int as n from runs`
  const pruned = await prune(
    services,
    { runsMs: 7 * 86_400_000, auditMs: 400 * 86_400_000 },
    newPruneProgress(),
  )
  expect(before[0]?.n).toBe(JOBS * RUNS_PER_JOB)
  // Of the jobs still there the runs of the first days; of the deleted ones all, and the jobs.
  expect(pruned?.runs).toBe((JOBS - JOBS / 3) * 5)
  expect(pruned?.other).toBeGreaterThan((JOBS / 3) * (RUNS_PER_JOB + 1))
  expect(explained.plans.some(plan => plan.includes('runs_finished'))).toBe(true)
  // Foreign keys were checked while it looked on.
  expect(explained.plans.some(plan => /SELECT 1 FROM ONLY "public"."attempts"/.test(plan))).toBe(true)
  expect(wholeReadsOfLarge()).toEqual([])
})

test("the operator's metrics read no table of jobs or runs whole", async () => {
  explained.plans.length = 0
  await renderOperatorMetrics({ ...desk.services, sql: explained.sql })
  expect(explained.plans.length).toBeGreaterThan(2)
  expect(wholeReadsOfLarge()).toEqual([])
})
