import {
  listExecutions,
  listJobs,
  listRuns,
  listTags,
  listTimes,
  type ProjectContext,
  recentRuns,
  renderOperatorMetrics,
  renderProjectMetrics,
} from '@workly/services'
import type { Figure } from './figure.ts'
import type { Store } from './large/store.ts'
import { percentiles } from './percentiles.ts'

/** So many times is each asked for: more than after which the driver's statements are planned for any parameters. */
const CALLS = 20
/** A page that takes seconds is not asked for so often. */
const MOST_MS = 10_000

type Ask = () => Promise<number>
type Rows = { data: unknown[]; next_cursor: string | null }

/** Every page of jobs and runs that the API and the console have, with every filter, in a large installation. */
export async function measureLists(store: Store): Promise<Figure[]> {
  const pages: Figure[] = []
  for (const [page, ask] of await questions(store)) {
    const took: number[] = []
    let rows = await ask()
    const until = performance.now() + MOST_MS
    while (took.length < CALLS && (took.length < 2 || performance.now() < until)) {
      const from = performance.now()
      rows = await ask()
      took.push(performance.now() - from)
    }
    const { p50, p95, max } = percentiles(took)
    pages.push({
      bench: 'lists',
      figure: `p95 of ${page}`,
      value: p95,
      unit: 'ms',
      ...(!/^(?:metrics|history, 1,000)/.test(page) && { must: '≤ 50', aim: '≤ 15' }),
      note: `p50 ${p50}, max ${max}, ${took.length} calls, ${rows} rows`,
    })
  }
  return pages
}

async function questions(store: Store): Promise<[string, Ask][]> {
  const [large, old, other] = store.projects
  if (!large || !old || !other) throw new Error('the store has fewer than three projects')
  const count = async (page: Promise<Rows>) => (await page).data.length
  const runs = (ctx: ProjectContext, filter: Parameters<typeof listRuns>[1]) => () =>
    count(listRuns(ctx, filter))
  const jobs = (ctx: ProjectContext, filter: Parameters<typeof listJobs>[1]) => () =>
    count(listJobs(ctx, filter))
  const history = (ctx: ProjectContext, filter: Parameters<typeof listExecutions>[1]) => async () =>
    (await listExecutions(ctx, filter)).length
  const deepRuns = await cursorAt(store, large, 'runs')
  const deepJobs = await cursorAt(store, large, 'jobs')
  const busy = await busiestJob(store, large)
  const quiet = await busiestJob(store, old)
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString()
  const page = await listJobs(large, {})
  const ids = page.data.map(job => job.id)
  return [
    ['runs', runs(large, {})],
    ['runs, 200', runs(large, { limit: 200 })],
    ['runs, deep', runs(large, { cursor: deepRuns })],
    ['runs, all old', runs(old, {})],
    ['runs, another project', runs(other, {})],
    ...(['pending', 'running', 'succeeded', 'failed', 'cancelled', 'skipped'] as const).flatMap(
      (state): [string, Ask][] => [
        [`runs, ${state}`, runs(large, { state })],
        [`runs, ${state}, another project`, runs(other, { state })],
        [`runs, ${state}, of the busiest job`, runs(large, { state, job: busy })],
      ],
    ),
    ['runs, by hand', runs(large, { trigger: 'manual' })],
    ['runs, backfill', runs(large, { trigger: 'backfill' })],
    ['runs, schedule', runs(large, { trigger: 'schedule' })],
    ['runs, from yesterday', runs(large, { from: day(1) })],
    ['runs, to 80 days ago', runs(large, { to: day(80) })],
    ['runs, one day long ago', runs(large, { from: day(61), to: day(60) })],
    ['runs, failed, one day long ago', runs(large, { state: 'failed', from: day(61), to: day(60) })],
    ['runs, from tomorrow', runs(large, { from: day(-1) })],
    ['runs of the busiest job', runs(large, { job: busy })],
    ['runs of the busiest job, one day long ago', runs(large, { job: busy, from: day(61), to: day(60) })],
    ['runs of a job, all old', runs(old, { job: quiet })],
    ['history', history(large, {})],
    ['history, 1,000', history(large, { limit: 1_000 })],
    ['history, all old', history(old, {})],
    ['history, pipelines', history(large, { kind: 'pipeline' })],
    ['history, images', history(large, { kind: 'image' })],
    ['history, http', history(large, { kind: 'http' })],
    ['history of the busiest job', history(large, { job: busy })],
    ['jobs', jobs(large, {})],
    ['jobs, 200', jobs(large, { limit: 200 })],
    ['jobs, deep', jobs(large, { cursor: deepJobs })],
    ['jobs, active', jobs(large, { state: 'active' })],
    ['jobs, paused', jobs(large, { state: 'paused' })],
    ['jobs, completed', jobs(large, { state: 'completed' })],
    ['jobs, http', jobs(large, { kind: 'http' })],
    ['jobs, pipelines', jobs(large, { kind: 'pipeline' })],
    ['jobs, a common tag', jobs(large, { tag: 'team-7' })],
    ['jobs, a rare tag', jobs(large, { tag: 'rare' })],
    ['jobs, no such tag', jobs(large, { tag: 'absent' })],
    ['jobs, search finds many', jobs(large, { search: 'report' })],
    ['jobs, search finds few', jobs(large, { search: 'report-777' })],
    ['jobs, search finds one', jobs(large, { search: 'report-77777' })],
    ['jobs, search finds none', jobs(large, { search: 'zebra' })],
    ['jobs, search finds none, another project', jobs(other, { search: 'zebra' })],
    ['tags', async () => (await listTags(large)).length],
    ['tags, another project', async () => (await listTags(other)).length],
    ['strips of recent runs', async () => (await recentRuns(large, ids, 20)).size],
    ['ledger of the busiest job', () => count(listTimes(large, busy, { from: day(61), to: day(60) }))],
    ['metrics of the installation', async () => (await renderOperatorMetrics(store.services)).length],
    ['metrics of another project', async () => (await renderProjectMetrics(other)).length],
  ]
}

/** A cursor into the middle of a project's list. */
async function cursorAt(store: Store, ctx: ProjectContext, list: 'runs' | 'jobs'): Promise<string> {
  const { sql } = store.services
  const [row] = await sql<{ id: string; created_at: Date }[]>`
    select id, created_at from ${sql(list)} where project_id = ${ctx.projectId}
    order by created_at desc, id desc
    offset (select count(*) / 2 from ${sql(list)} where project_id = ${ctx.projectId}) limit 1`
  if (!row) throw new Error(`the project has no ${list}`)
  const parts = list === 'runs' ? [row.id] : [row.created_at.toISOString(), row.id]
  return Buffer.from(JSON.stringify(parts)).toString('base64url')
}

async function busiestJob(store: Store, ctx: ProjectContext): Promise<string> {
  const [row] = await store.services.sql<{ name: string }[]>`
    select j.name from runs r join jobs j on j.id = r.job_id where r.project_id = ${ctx.projectId}
    group by j.id, j.name order by count(*) desc limit 1`
  return row?.name ?? ''
}
