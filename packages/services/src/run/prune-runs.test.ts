import type { Sql, TransactionSql } from '@workly/db'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Desk, openDesk, type RunRecord } from '../../test/job-desk.ts'
import { failing, PretendWorker, untilBlocked } from '../../test/pretend-worker.ts'
import { DAY_MS, HOUR_MS } from '../../test/tenants.ts'
import { triggerJob } from '../job/trigger-job.ts'
import { listTimes } from '../ledger/list-times.ts'
import { backfillJob } from './backfill-job.ts'
import { cancelRun } from './cancel-run.ts'
import { getRun } from './get-run.ts'
import { BEFORE_ALL, pruneRuns } from './prune-runs.ts'
import { retryRun } from './retry-run.ts'

let desk: Desk
let worker: PretendWorker
beforeAll(async () => {
  desk = await openDesk()
})
afterAll(() => desk?.drop())
beforeEach(async () => {
  await desk.clear()
  await removeAll()
  desk.at('2027-01-15T12:00:00Z')
  worker = await PretendWorker.start(desk.services)
})

/** Every test begins without runs, and with jobs that fire no more. */
async function removeAll(): Promise<void> {
  await desk.sql`delete from callback_tokens`
  await desk.sql`delete from attempts`
  await desk.sql`delete from steps`
  await desk.sql`delete from runs`
}

/** Removes what ended more than `ms` ago, batch after batch. */
async function pruneAll(ms = 7 * DAY_MS, limit?: number): Promise<{ removed: number; batches: number }> {
  const before = new Date(desk.now().getTime() - ms)
  let at = BEFORE_ALL
  for (let removed = 0, batches = 1; ; batches++) {
    const batch = await pruneRuns(desk.services, before, at, limit)
    removed += batch.removed
    at = batch.reached
    if (!batch.more) return { removed, batches }
  }
}

/** A run by hand that ends at once, then a second passes. */
async function ended(name: string, how: 'ok' | 'failed' = 'ok'): Promise<string> {
  const { id } = await triggerJob(desk.ctx, name)
  await worker.work(how === 'ok' ? {} : failing(404))
  desk.advance(1_000)
  return id
}

/** A job whose own times do not come while the test moves the clock by months. */
const YEARLY = { cron: '0 0 1 1 *' }

const ids = (runs: RunRecord[]) => runs.map(run => run.id)

test('runs go with their attempts, steps and callback tokens once their end is older than the retention', async () => {
  const name = await desk.job({ max_attempts: 1 })
  const old = await ended(name)
  await desk.sql`
    insert into callback_tokens (attempt_id, organization_id, token_hash, server_key_id, created_at)
    select id, organization_id, '\\x00', 'k1', started_at from attempts where run_id = ${old}`
  await desk.sql`
    insert into steps (organization_id, run_id, position, step_id, state, host)
    select organization_id, id, 0, 'one', 'succeeded', host from runs where id = ${old}`
  const young = await ended(name)
  desk.advance(7 * DAY_MS - 1_500)
  expect(await pruneAll()).toMatchObject({ removed: 1 })
  expect(ids(await desk.runs(name))).toEqual([young])
  for (const table of ['attempts', 'steps']) {
    expect(await desk.sql`select 1 from ${desk.sql(table)} where run_id = ${old}`).toHaveLength(0)
  }
  expect(await desk.sql`select 1 from callback_tokens`).toHaveLength(0)
  await expect(getRun(desk.ctx, old)).rejects.toMatchObject({ code: 'not_found' })
  expect((await getRun(desk.ctx, young)).attempts).toHaveLength(1)
})

test('the latest run of a job stays, however old, and so does the latest that was not skipped', async () => {
  const name = await desk.job({ cron: '0 * * * *', overlap: 'skip' })
  const [first, second] = [await ended(name), await ended(name)]
  // The hour's run never ends in time, so the next hours are skipped; then it fails.
  const held = await triggerJob(desk.ctx, name)
  const [begun] = await worker.take()
  for (let i = 0; i < 3; i++) {
    desk.advance(HOUR_MS)
    await desk.tick()
  }
  if (!begun) throw new Error('nothing began')
  await worker.renew()
  await worker.finish([begun], failing(404))
  await desk.sql`update jobs set next_run_at = null`
  desk.advance(90 * DAY_MS)
  const before = await desk.runs(name)
  expect(before.map(run => run.state)).toEqual([
    'succeeded',
    'succeeded',
    'failed',
    'skipped',
    'skipped',
    'skipped',
  ])
  expect(await pruneAll()).toMatchObject({ removed: 4 })
  const kept = await desk.runs(name)
  expect(ids(kept)).toEqual([held.id, before.at(-1)?.id])
  expect(ids(kept)).not.toContain(first)
  expect(ids(kept)).not.toContain(second)
  expect(await pruneAll()).toMatchObject({ removed: 0 })
})

test('a run that is still going stays, however long ago it was due or began', async () => {
  const name = await desk.job({ ...YEARLY, overlap: 'allow' })
  const pending = await triggerJob(desk.ctx, name)
  const running = await triggerJob(desk.ctx, name)
  await worker.begin((await worker.fetch()).filter(task => task.runId === running.id))
  desk.advance(60 * DAY_MS)
  await worker.renew()
  const last = await triggerJob(desk.ctx, name)
  await cancelRun(desk.ctx, last.id)
  desk.advance(60 * DAY_MS)
  expect(await pruneAll()).toMatchObject({ removed: 0 })
  expect(ids(await desk.runs(name))).toEqual([pending.id, running.id, last.id])
})

test('the retention counts from the end, not from the scheduled time', async () => {
  const name = await desk.job(YEARLY)
  const { id } = await triggerJob(desk.ctx, name)
  desk.advance(30 * DAY_MS)
  await worker.renew()
  await worker.work()
  await ended(name)
  expect(await pruneAll()).toMatchObject({ removed: 0 })
  desk.advance(7 * DAY_MS)
  expect(await pruneAll()).toMatchObject({ removed: 1 })
  expect(ids(await desk.runs(name))).not.toContain(id)
})

test('pruned_through is the latest scheduled time that went; the ledger and backfill know it', async () => {
  const name = await desk.job({ cron: '0 * * * *' })
  for (let hour = 0; hour < 4; hour++) {
    desk.at(`2027-01-15T${13 + hour}:00:00Z`)
    await desk.tick()
    await worker.renew()
    await worker.work()
  }
  const runs = await desk.runs(name)
  // A backfill made last of an early time: it is the latest run, and what went is later than it.
  await backfillJob(desk.ctx, name, { from: '2027-01-15T10:00:00Z', to: '2027-01-15T10:00:00Z' })
  await worker.work()
  await desk.sql`update jobs set next_run_at = null`
  desk.at('2027-01-22T15:00:01Z')
  expect(await pruneAll()).toMatchObject({ removed: 3 })
  const [job] = await desk.sql<{ pruned_through: Date }[]>`
    select pruned_through from jobs where name = ${name} and deleted_at is null`
  expect(job?.pruned_through).toEqual(runs[2]?.scheduled_for)
  const { data } = await listTimes(desk.ctx, name, {
    from: '2027-01-15T12:30:00Z',
    to: '2027-01-15T16:00:00Z',
  })
  expect(data.map(entry => entry.run === null)).toEqual([true, true, true, false])
  const range = { from: '2027-01-15T13:00:00Z', to: '2027-01-15T16:00:00Z' }
  expect(await backfillJob(desk.ctx, name, { ...range, dry_run: true })).toMatchObject({
    unknown: 3,
    created: 0,
  })
  // It never goes back.
  await desk.sql`update jobs set pruned_through = '2027-02-01T00:00:00Z' where name = ${name}`
  await ended(name)
  desk.advance(8 * DAY_MS)
  await pruneAll()
  const [after] = await desk.sql<{ pruned_through: Date }[]>`
    select pruned_through from jobs where name = ${name} and deleted_at is null`
  expect(after?.pruned_through).toEqual(new Date('2027-02-01T00:00:00Z'))
})

test('counters and the last success of a job outlive its runs', async () => {
  const name = await desk.job({ max_attempts: 1 })
  for (let i = 0; i < 3; i++) await ended(name)
  const lastSuccess = desk.now().getTime() - 1_000
  for (let i = 0; i < 3; i++) await ended(name, 'failed')
  desk.advance(30 * DAY_MS)
  expect(await pruneAll()).toMatchObject({ removed: 5 })
  const [job] = await desk.sql<{ last_success_at: Date; runs_succeeded: number; runs_failed: number }[]>`
    select last_success_at, runs_succeeded, runs_failed from jobs where name = ${name} and deleted_at is null`
  expect(job).toEqual({ last_success_at: new Date(lastSuccess), runs_succeeded: 3, runs_failed: 3 })
})

test('in small batches every old run goes, and those that are kept are looked at once', async () => {
  const names = [await desk.job(), await desk.job(), await desk.job()]
  for (let i = 0; i < 6; i++) for (const name of names) await ended(name)
  desk.advance(30 * DAY_MS)
  // 18 runs end with a batch that is not full: one more than 18 / 4.
  expect(await pruneAll(undefined, 4)).toEqual({ removed: 15, batches: 5 })
  for (const name of names) expect(await desk.runs(name)).toHaveLength(1)
})

test('many runs that ended in one instant are all looked at, also across batches', async () => {
  const name = await desk.job({ overlap: 'allow' })
  for (let i = 0; i < 9; i++) await triggerJob(desk.ctx, name)
  await worker.finish(await worker.take())
  expect(new Set((await desk.runs(name)).map(run => run.finished_at?.getTime())).size).toBe(1)
  desk.advance(30 * DAY_MS)
  expect(await pruneAll(undefined, 2)).toMatchObject({ removed: 8 })
})

test('a run that is being retried at that moment is left alone, and so is one that was retried just before', async () => {
  const name = await desk.job({ max_attempts: 1 })
  const [first, second] = [await ended(name, 'failed'), await ended(name, 'failed')]
  await ended(name)
  desk.advance(30 * DAY_MS)
  const release = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const holder = desk.sql.begin(async sql => {
    await sql`select id from runs where id = ${first} for no key update`
    locked.resolve()
    await release.promise
  })
  await locked.promise
  const before = new Date(desk.now().getTime() - 7 * DAY_MS)
  expect(await pruneRuns(desk.services, before, BEFORE_ALL)).toMatchObject({ removed: 1, left: 1 })
  expect(ids(await desk.runs(name))).toContain(first)
  expect(ids(await desk.runs(name))).not.toContain(second)
  release.resolve()
  await holder
  await retryRun(desk.ctx, first)
  expect(await pruneAll()).toMatchObject({ removed: 0 })
  await worker.renew()
  await worker.work()
  expect((await desk.run(first)).state).toBe('succeeded')
  expect(await pruneAll()).toMatchObject({ removed: 0 })
})

test('a job that someone holds is passed over at once, not waited for, and its runs go the next time', async () => {
  const [busy, free] = [await desk.job(), await desk.job()]
  for (const name of [busy, free]) for (let i = 0; i < 2; i++) await ended(name)
  desk.advance(30 * DAY_MS)
  const release = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const holder = desk.sql.begin(async sql => {
    await sql`select id from jobs where name = ${busy} for no key update`
    locked.resolve()
    await release.promise
  })
  await locked.promise
  expect(await pruneAll()).toMatchObject({ removed: 1 })
  release.resolve()
  await holder
  expect(await pruneAll()).toMatchObject({ removed: 1 })
})

test('while a batch is at work, whoever wants one of its jobs waits for it, in the order of locks', async () => {
  const name = await desk.job({ max_attempts: 1 })
  const old = await ended(name, 'failed')
  await ended(name)
  desk.advance(30 * DAY_MS)
  // Holds the batch after it has locked job and run, at the deletion of the attempts.
  const release = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const holder = desk.sql.begin(async sql => {
    await sql`select id from attempts where run_id = ${old} for update`
    locked.resolve()
    await release.promise
  })
  await locked.promise
  const pruning = pruneAll()
  await untilBlocked(desk.sql, 1)
  const retried = retryRun(desk.ctx, old).then(
    () => 'retried',
    error => error.code,
  )
  await untilBlocked(desk.sql, 2)
  // Until it is gone the run is there, whole.
  expect((await getRun(desk.ctx, old)).attempts).toHaveLength(1)
  release.resolve()
  await holder
  expect(await pruning).toMatchObject({ removed: 1 })
  expect(await retried).toBe('not_found')
})

/** The same database, but `meanwhile` happens before a statement that reads attempts. */
function interrupted<T extends Sql | TransactionSql>(sql: T, meanwhile: () => Promise<unknown>): T {
  return new Proxy(sql, {
    apply(target, self, args: [TemplateStringsArray]) {
      const run = () => Reflect.apply(target as (...all: unknown[]) => unknown, self, args)
      return Array.isArray(args[0]) && args[0].join('').includes('from attempts')
        ? meanwhile().then(run)
        : run()
    },
    get(target, property) {
      if (property !== 'begin' || !('begin' in target))
        return Reflect.get(target, property, target) as unknown
      return (options: string, work: (inner: TransactionSql) => Promise<unknown>) =>
        target.begin(options, inner => work(interrupted(inner, meanwhile)))
    },
  })
}

test('a page whose run is removed while it is read shows all of the run; read again, nothing', async () => {
  const name = await desk.job(YEARLY)
  const run = await ended(name)
  await ended(name)
  desk.advance(30 * DAY_MS)
  const sql = interrupted(desk.services.sql, async () => {
    expect(await pruneAll()).toMatchObject({ removed: 1 })
  })
  const page = await getRun({ ...desk.ctx, services: { ...desk.services, sql } }, run)
  expect(page.attempts).toHaveLength(page.attempts_made)
  expect(page.attempts).toHaveLength(1)
  await expect(getRun(desk.ctx, run)).rejects.toMatchObject({ code: 'not_found' })
})
