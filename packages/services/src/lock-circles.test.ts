import { createSql, type Sql, type TransactionSql } from '@workly/db'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Desk, openDesk } from '../test/job-desk.ts'
import { PretendWorker, untilBlocked } from '../test/pretend-worker.ts'
import type { Services } from './context.ts'
import { patchJob } from './job/patch-job.ts'
import { triggerJob } from './job/trigger-job.ts'
import { cancelRun } from './run/cancel-run.ts'
import { rescueRuns } from './run/rescue-runs.ts'
import { retryRun } from './run/retry-run.ts'
import { claimDue } from './schedule/claim-due.ts'

// Who takes locks in another order than everybody here (an operator at a prompt, a later mistake) may close a circle, and
// PostgreSQL rolls one of its members back. Here that is always the verb, which must then be done all the same, once.

let desk: Desk
/** The verbs' own connections: they notice a circle at once. */
let verbs: Sql
/** Connections that notice none for a minute, so that whoever is opposite is rolled back. */
let holders: Sql
let services: Services
let worker: PretendWorker
beforeAll(async () => {
  desk = await openDesk()
  const open = (name: string, deadlock_timeout: string) =>
    createSql(desk.url, { max: 3, name, settings: { deadlock_timeout } })
  verbs = open('verbs', '20ms')
  holders = open('holders', '60s')
  services = { ...desk.services, sql: verbs }
})
afterAll(async () => {
  await Promise.all([verbs?.end(), holders?.end()])
  await desk?.drop()
})
beforeEach(async () => {
  await desk.clear()
  worker = await PretendWorker.start(services)
})

/** Locks something for good, or fails where another has it. */
type Lock = (sql: TransactionSql, nowait?: 'nowait') => Promise<unknown>
const project: Lock = sql => sql`select 1 from projects where id = ${desk.ctx.projectId} for update`
const run =
  (id: string): Lock =>
  sql =>
    sql`select 1 from runs where id = ${id} for update`
const job =
  (name: string): Lock =>
  (sql, nowait) =>
    sql`select 1 from jobs where name = ${name} for update ${nowait ? sql`nowait` : sql``}`
const workers: Lock = (sql, nowait) => sql`select 1 from workers for update ${nowait ? sql`nowait` : sql``}`

/** What the bounds of a project are read with, just before it is locked. */
const organizations: Lock = sql => sql`lock table organizations in access exclusive mode`

/**
 * A circle that the verb closes: it holds the `early` lock and is kept at the gate; another has the `late` lock and waits
 * for the early one; then the gate opens, and the verb asks for the late one. PostgreSQL rolls back who asks last.
 */
async function circle<T>(gate: Lock, late: Lock, early: Lock, verb: () => Promise<T>): Promise<T> {
  const [kept, open] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const keeper = holders.begin(async sql => {
    await gate(sql)
    kept.resolve()
    await open.promise
  })
  await kept.promise
  const { going } = await holders.begin(async sql => {
    await late(sql)
    const going = verb()
    await untilBlocked(desk.sql, 1)
    await expect(desk.sql.begin(other => early(other, 'nowait'))).rejects.toMatchObject({ code: '55P03' })
    const closing = early(sql)
    await Promise.all([closing, untilBlocked(desk.sql, 2).finally(open.resolve)])
    return { going }
  })
  await keeper
  return going
}

const ctx = () => ({ ...desk.ctx, services })

async function triggered(): Promise<{ name: string; id: string }> {
  const name = await desk.job()
  return { name, id: (await triggerJob(desk.ctx, name)).id }
}

test('a run by hand that meets a deadlock is made, once', async () => {
  const name = await desk.job()
  const made = await circle(organizations, project, job(name), () => triggerJob(ctx(), name))
  expect((await desk.runs(name)).map(r => r.id)).toEqual([made.id])
})

test('an edit that meets a deadlock is made, once, and is in the audit log once', async () => {
  const name = await desk.job({ interval_minutes: 1, overlap: 'allow' })
  desk.advance(60_000)
  await circle(organizations, project, job(name), () => patchJob(ctx(), name, { description: 'edited' }))
  expect(await desk.runs(name)).toHaveLength(1)
  const entries = await desk.sql`
    select 1 from audit_entries a join jobs j on j.id = a.subject_id where j.name = ${name} and action = 'job.update'`
  expect(entries).toHaveLength(1)
})

test('a cancel and a retry that meet a deadlock are done', async () => {
  const { name, id } = await triggered()
  await circle(organizations, project, job(name), () => cancelRun(ctx(), id))
  expect(await desk.run(id)).toMatchObject({ state: 'cancelled' })
  await circle(organizations, project, job(name), () => retryRun(ctx(), id))
  expect(await desk.run(id)).toMatchObject({ state: 'pending' })
})

test('a claim that meets a deadlock makes each due run, once', async () => {
  const name = await desk.job({ interval_minutes: 1 })
  desk.advance(60_000)
  expect(await circle(organizations, project, job(name), () => claimDue(services, 500))).toBe(1)
  expect(await desk.runs(name)).toHaveLength(1)
})

test('a begin that meets a deadlock begins its attempts, once', async () => {
  const [first, second] = [await triggered(), await triggered()]
  const tasks = await worker.fetch()
  const begun = await circle(run(first.id), run(second.id), workers, () => worker.begin(tasks))
  expect(begun.map(b => [b.run_id, b.number])).toEqual([first, second].map(({ id }) => [id, 1]))
  for (const { id } of [first, second])
    expect((await desk.attempts(id)).map(a => a.state)).toEqual(['running'])
})

test('an end that meets a deadlock is written, once', async () => {
  const { name, id } = await triggered()
  const begun = await worker.take()
  expect(await circle(organizations, project, job(name), () => worker.finish(begun))).toEqual([])
  expect(await desk.run(id)).toMatchObject({ state: 'succeeded' })
  const [counted] = await desk.sql`select runs_succeeded::int as n from jobs where name = ${name}`
  expect(counted?.n).toBe(1)
})

test('a rescue that meets a deadlock takes over all the same, once', async () => {
  const { name, id } = await triggered()
  await worker.take()
  desk.advance(15_001)
  const rescue = await circle(organizations, project, job(name), () => rescueRuns(services, true))
  expect(rescue).toMatchObject({ deadWorkers: [worker.id], lostAttempts: 1 })
  expect((await desk.attempts(id)).map(a => a.state)).toEqual(['lost'])
  expect((await (await PretendWorker.start(services)).take()).map(b => b.number)).toEqual([2])
})

test('a rescue takes the jobs of the dead and of the stopped in one order', async () => {
  const [first, second] = [await triggered(), await triggered()]
  // The stopped worker has the first job's call, the dead one the second's.
  const tasks = await worker.fetch()
  await worker.begin(tasks.filter(task => task.runId === first.id))
  const dead = await PretendWorker.start(services)
  await dead.begin(tasks.filter(task => task.runId === second.id))
  await desk.sql`update workers set stopped_at = started_at where id = ${worker.id}`
  desk.advance(15_001)
  const rescue = await holders.begin(async sql => {
    await job(first.name)(sql)
    const going = rescueRuns(services, true)
    await untilBlocked(desk.sql, 1)
    // It waits for the first, and has not taken the second: a batch of ends that goes by the order is not held up.
    await sql`select 1 from jobs where name = ${second.name} for no key update nowait`
    return { going }
  })
  expect(await rescue.going).toMatchObject({ deadWorkers: [dead.id], lostAttempts: 2 })
  expect(await desk.attempts(first.id)).toMatchObject([
    { state: 'lost', error_message: expect.stringContaining('shut down') },
  ])
  expect(await desk.attempts(second.id)).toMatchObject([
    { state: 'lost', error_message: expect.stringContaining('died') },
  ])
  const lost = [first, second].map(async ({ id }) => (await desk.run(id)).lost_in_a_row)
  expect(await Promise.all(lost)).toEqual([0, 1])
})
