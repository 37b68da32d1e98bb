import { WorklyError } from '@workly/core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { DAILY, type Desk, openDesk, outcome } from '../../test/job-desk.ts'
import { PretendWorker, untilBlocked } from '../../test/pretend-worker.ts'
import { auditRows, fresh } from '../../test/tenants.ts'
import { backfillJob } from '../run/backfill-job.ts'
import { deleteJob } from './delete-job.ts'
import { getJob } from './get-job.ts'
import { patchJob } from './patch-job.ts'
import { pauseJob, resumeJob } from './pause-job.ts'
import { putJob } from './put-job.ts'
import { triggerJob } from './trigger-job.ts'

let desk: Desk
beforeAll(async () => {
  desk = await openDesk()
})
afterAll(() => desk?.drop())
beforeEach(async () => {
  await desk.clear()
  desk.at('2027-01-15T12:00:00Z')
})

/** Starts each call only when all before it wait, behind a lock of the job; they go on one after the other. */
async function inOrder(
  name: string,
  ...calls: (() => Promise<unknown>)[]
): Promise<PromiseSettledResult<unknown>[]> {
  const held = await desk.sql.begin(async sql => {
    await sql`select id from jobs where name = ${name} and deleted_at is null for update`
    const going: Promise<unknown>[] = []
    for (const call of calls) {
      going.push(call())
      // What nobody awaits yet may fail already.
      going.at(-1)?.catch(() => undefined)
      await untilBlocked(desk.sql, going.length)
    }
    return { going }
  })
  return Promise.allSettled(held.going)
}

function code(result: PromiseSettledResult<unknown> | undefined): string | undefined {
  if (result?.status === 'fulfilled') return 'ok'
  const reason: unknown = result?.reason
  return reason instanceof WorklyError ? reason.code : String(reason)
}

test('of two creates at once one creates and the other finds it so already', async () => {
  const name = fresh('job')
  const puts = await Promise.all([1, 2, 3, 4].map(() => putJob(desk.ctx, name, DAILY)))
  expect(puts.filter(p => p.created)).toHaveLength(1)
  expect(puts.filter(p => p.changed)).toHaveLength(1)
  expect(new Set(puts.map(p => p.etag)).size).toBe(1)
  const entries = (await auditRows(desk.sql, desk.ctx.organizationId)).filter(
    a => a.subject_id === puts[0]?.job.id,
  )
  expect(entries.map(a => a.action)).toEqual(['job.create'])
})

test('of two creates at once that may only create one is refused', async () => {
  const name = fresh('job')
  const puts = await Promise.allSettled(
    [1, 2, 3].map(() => putJob(desk.ctx, name, DAILY, { ifNoneMatch: '*' })),
  )
  expect(puts.map(code).sort()).toEqual(['ok', 'precondition_failed', 'precondition_failed'])
})

test('two creates at once with execute_now make one run', async () => {
  const name = fresh('job')
  await Promise.all([1, 2, 3].map(() => putJob(desk.ctx, name, { ...DAILY, execute_now: true })))
  expect(await desk.runs(name)).toHaveLength(1)
})

test('of two writes at once under the same If-Match one wins', async () => {
  const name = await desk.job()
  const { etag } = await getJob(desk.ctx, name)
  const [a, b] = await inOrder(
    name,
    () => putJob(desk.ctx, name, { ...DAILY, description: 'a' }, { ifMatch: etag }),
    () => patchJob(desk.ctx, name, { description: 'b' }, { ifMatch: etag }),
  )
  expect([code(a), code(b)]).toEqual(['ok', 'precondition_failed'])
  expect((await getJob(desk.ctx, name)).job.description).toBe('a')
})

test('a PATCH that waits for another changes what the other left, not what it had read', async () => {
  const name = await desk.job()
  await inOrder(
    name,
    () => patchJob(desk.ctx, name, { url: 'https://new.example/', cron: '0 5 * * *' }),
    () => patchJob(desk.ctx, name, { description: 'b' }),
  )
  expect((await getJob(desk.ctx, name)).job).toMatchObject({
    url: 'https://new.example/',
    cron: '0 5 * * *',
    description: 'b',
    next_run_at: '2027-01-16T05:00:00Z',
  })
})

test('a PUT that waits for a pause finds the job paused, and leaves it so', async () => {
  const name = await desk.job()
  await inOrder(
    name,
    () => pauseJob(desk.ctx, name),
    () => putJob(desk.ctx, name, { cron: '0 5 * * *', url: DAILY.url }),
  )
  expect((await getJob(desk.ctx, name)).job).toMatchObject({
    state: 'paused',
    next_run_at: null,
    cron: '0 5 * * *',
  })
})

test('two pauses, or two resumes, at once change it once', async () => {
  const name = await desk.job()
  const paused = await inOrder(
    name,
    () => pauseJob(desk.ctx, name),
    () => pauseJob(desk.ctx, name),
  )
  expect(paused.map(code)).toEqual(['ok', 'ok'])
  const resumed = await inOrder(
    name,
    () => resumeJob(desk.ctx, name),
    () => resumeJob(desk.ctx, name),
  )
  expect(resumed.map(code)).toEqual(['ok', 'ok'])
  const { id } = (await getJob(desk.ctx, name)).job
  const entries = (await auditRows(desk.sql, desk.ctx.organizationId)).filter(a => a.subject_id === id)
  expect(entries.map(a => a.action)).toEqual(['job.create', 'job.pause', 'job.resume'])
})

test.each<[string, (name: string) => Promise<unknown>]>([
  ['a PATCH', name => patchJob(desk.ctx, name, { description: 'x' })],
  ['a pause', name => pauseJob(desk.ctx, name)],
  ['a trigger', name => triggerJob(desk.ctx, name)],
  ['a second delete', name => deleteJob(desk.ctx, name)],
  [
    'a backfill',
    name => backfillJob(desk.ctx, name, { from: '2027-01-14T00:00:00Z', to: '2027-01-15T00:00:00Z' }),
  ],
])('%s that waits for a delete finds no job', async (_, call) => {
  const name = await desk.job()
  const [deleted, waited] = await inOrder(
    name,
    () => deleteJob(desk.ctx, name),
    () => call(name),
  )
  expect([code(deleted), code(waited)]).toEqual(['ok', 'not_found'])
})

test('a PUT that waits for a delete makes the job anew', async () => {
  const name = await desk.job()
  const { id } = (await getJob(desk.ctx, name)).job
  const [, put] = await inOrder(
    name,
    () => deleteJob(desk.ctx, name),
    () => putJob(desk.ctx, name, DAILY),
  )
  expect(put).toMatchObject({ status: 'fulfilled', value: { created: true } })
  expect((await getJob(desk.ctx, name)).job.id).not.toBe(id)
})

test('writes that wait for a delete and a new job of the name hold the new one', async () => {
  const name = await desk.job()
  const results = await inOrder(
    name,
    () => deleteJob(desk.ctx, name),
    () => putJob(desk.ctx, name, { ...DAILY, description: 'new' }),
    () => patchJob(desk.ctx, name, { max_attempts: 9 }),
    () => patchJob(desk.ctx, name, { timeout_seconds: 99 }),
  )
  expect(results.slice(0, 2).map(code)).toEqual(['ok', 'ok'])
  // A PATCH may come before the new job is there; what is done is done whole.
  const { job } = await getJob(desk.ctx, name)
  const done = results.slice(2).map(r => code(r) === 'ok')
  expect([job.max_attempts === 9, job.timeout_seconds === 99]).toEqual(done)
  expect(job.description).toBe('new')
})

test('a claim and an edit at once: each due time is settled once, by one of them', async () => {
  for (let round = 0; round < 6; round++) {
    desk.at(`2027-01-15T1${round}:00:00Z`)
    const name = await desk.job({ cron: '*/10 * * * *', overlap: 'allow' })
    desk.at(`2027-01-15T1${round}:10:00Z`)
    await Promise.all([
      desk.tick(),
      patchJob(desk.ctx, name, { cron: '5 * * * *' }),
      triggerJob(desk.ctx, name),
      desk.tick(),
    ])
    const runs = await desk.runs(name)
    expect(runs.filter(r => r.trigger === 'schedule').map(outcome)).toEqual(['pending'])
    expect((await getJob(desk.ctx, name)).job.next_run_at).toBe(`2027-01-15T1${round + 1}:05:00Z`)
  }
})

test('a claim that waited for nobody still sees the run that a trigger has just made', async () => {
  const name = await desk.job({ cron: '0 13 * * *', overlap: 'skip' })
  desk.at('2027-01-15T12:59:59.999Z')
  // The trigger commits first; the claim's count of open runs is taken after it has the job's lock.
  await triggerJob(desk.ctx, name)
  desk.at('2027-01-15T13:00:00Z')
  await desk.tick()
  expect((await desk.runs(name)).map(outcome)).toEqual(['pending', 'skipped/overlap'])
})

test('everything at once on a few jobs ends without a deadlock', async () => {
  const names = await Promise.all(
    ['skip', 'queue', 'allow'].map(o => desk.job({ cron: '*/10 * * * *', overlap: o as 'skip' })),
  )
  const worker = await PretendWorker.start(desk.services)
  desk.at('2027-01-15T12:10:00Z')
  const calls = Array.from({ length: 60 }, (_, i) => {
    const name = names[i % 3] ?? ''
    switch (i % 6) {
      case 0:
        return triggerJob(desk.ctx, name)
      case 1:
        return patchJob(desk.ctx, name, {
          description: `${i}`,
          overlap: (['skip', 'queue', 'allow'] as const)[i % 3],
        })
      case 2:
        return desk.tick()
      case 3:
        return worker.work()
      case 4:
        return pauseJob(desk.ctx, name).then(() => resumeJob(desk.ctx, name))
      default:
        return backfillJob(desk.ctx, name, {
          from: '2027-01-15T10:00:00Z',
          to: '2027-01-15T10:30:00Z',
          only_missing: false,
        })
    }
  })
  const failures = (await Promise.allSettled(calls)).filter(r => r.status === 'rejected')
  expect(failures).toEqual([])
})
