import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Desk, openDesk, outcome, type RunRecord } from '../../test/job-desk.ts'
import { PretendWorker, untilBlocked } from '../../test/pretend-worker.ts'
import { fresh } from '../../test/tenants.ts'
import { getJobCounts } from '../job/get-job-counts.ts'
import { patchJob } from '../job/patch-job.ts'
import { triggerJob } from '../job/trigger-job.ts'
import { backfillJob } from '../run/backfill-job.ts'
import { cancelRun } from '../run/cancel-run.ts'
import { retryRun } from '../run/retry-run.ts'

let desk: Desk
let worker: PretendWorker
beforeAll(async () => {
  desk = await openDesk()
})
afterAll(() => desk?.drop())
beforeEach(startAnew)

async function startAnew(): Promise<void> {
  await desk.clear()
  desk.at('2027-01-15T12:00:00Z')
  worker = await PretendWorker.start(desk.services)
}

type Overlap = 'skip' | 'queue' | 'allow'
const OVERLAPS: Overlap[] = ['skip', 'queue', 'allow']

/** Ways in which a run of an hourly job comes to be under way; each leaves one open run. */
const UNDER_WAY = {
  scheduled: async () => {
    desk.at('2027-01-15T13:00:00Z')
    await desk.tick()
  },
  manual: async (name: string) => {
    await triggerJob(desk.ctx, name)
  },
  retried: async (name: string) => {
    desk.at('2027-01-15T13:00:00Z')
    await desk.tick()
    await worker.work()
    const [run] = await desk.runs(name)
    await retryRun(desk.ctx, run?.id ?? '')
  },
  backfilled: async (name: string) => {
    await backfillJob(desk.ctx, name, { from: '2027-01-15T10:00:00Z', to: '2027-01-15T10:00:00Z' })
  },
} as const
type Way = keyof typeof UNDER_WAY

/** Makes an hourly job with one run under way, begun or only pending. */
async function busyJob(overlap: Overlap, way: Way | 'execute_now', begun: boolean): Promise<string> {
  const name = fresh('busy')
  const settings = { cron: '0 * * * *', overlap }
  await desk.job(way === 'execute_now' ? { ...settings, execute_now: true } : settings, name)
  if (way !== 'execute_now') await UNDER_WAY[way](name)
  if (begun) expect(await worker.take()).toHaveLength(1)
  return name
}

/** Claims the next full hour, and tells what became of it. */
async function nextHour(name: string): Promise<RunRecord> {
  desk.at(new Date(Math.ceil((desk.now().getTime() + 1) / 3_600_000) * 3_600_000).toISOString())
  await desk.tick()
  const runs = await desk.runs(name)
  const last = runs.at(-1)
  if (!last || last.scheduled_for.getTime() !== desk.now().getTime()) throw new Error('the hour has no run')
  return last
}

describe.each([
  ['pending', false],
  ['running', true],
] as const)('while a run is %s', (_, begun) => {
  test.each(['scheduled', 'manual', 'execute_now', 'retried'] as const)(
    'that is %s, a scheduled one is skipped under skip, waits under queue, starts under allow',
    async way => {
      const skipped = await nextHour(await busyJob('skip', way, begun))
      expect(outcome(skipped)).toBe('skipped/overlap')
      await startAnew()
      const queued = await nextHour(await busyJob('queue', way, begun))
      expect([outcome(queued), queued.waits_for_turn, queued.slot_host]).toEqual(['pending', true, null])
      await startAnew()
      const allowed = await nextHour(await busyJob('allow', way, begun))
      expect([outcome(allowed), allowed.slot_host]).toEqual(['pending', 'target.example'])
    },
  )

  test('that is backfilled, a scheduled one starts under skip and allow, and waits under queue', async () => {
    for (const overlap of OVERLAPS) {
      const run = await nextHour(await busyJob(overlap, 'backfilled', begun))
      expect([overlap, outcome(run), run.waits_for_turn]).toEqual([overlap, 'pending', overlap === 'queue'])
      await startAnew()
    }
  })

  test.each([...Object.keys(UNDER_WAY), 'execute_now'] as (Way | 'execute_now')[])(
    'that is %s, one by hand and a retried one start at once but under queue',
    async way => {
      for (const overlap of OVERLAPS) {
        const name = await busyJob(overlap, way, begun)
        const ended = await nextEnded(name)
        await triggerJob(desk.ctx, name)
        const manual = (await desk.runs(name)).filter(r => r.trigger === 'manual').at(-1)
        expect([overlap, manual?.waits_for_turn]).toEqual([overlap, overlap === 'queue'])
        await retryRun(desk.ctx, ended)
        expect([overlap, (await desk.run(ended)).waits_for_turn]).toEqual([overlap, overlap === 'queue'])
        await startAnew()
      }
    },
  )
})

/** A run of the job that has ended, in a past where nothing of the job was going. */
async function nextEnded(name: string): Promise<string> {
  const [row] = await desk.sql<{ id: string }[]>`
    insert into runs (id, organization_id, project_id, job_id, request_version_id, host, trigger, set_going_by,
      scheduled_for, state, created_at, pending_at, finished_at)
    select 'run_' || substr(md5(random()::text), 1, 26), organization_id, project_id, id, request_version_id,
      'target.example', 'schedule', 'schedule', '2027-01-01T00:00:00Z', 'failed', created_at, created_at, created_at
    from jobs where name = ${name} returning id`
  return row?.id ?? ''
}

describe('queue', () => {
  const hourly = { cron: '0 * * * *', overlap: 'queue' } as const

  test('lets runs go one at a time, in the order they were last made pending', async () => {
    const name = await desk.job({ ...hourly, max_attempts: 1 })
    const ended = await nextEnded(name)
    const first = await triggerJob(desk.ctx, name)
    const begun = await worker.take()
    expect(begun.map(b => b.run_id)).toEqual([first.id])
    desk.advance(1000)
    const manual = await triggerJob(desk.ctx, name)
    desk.advance(1000)
    // Put back later than the other was made, though it is older: it goes after it.
    await retryRun(desk.ctx, ended)
    const scheduled = await nextHour(name)
    desk.advance(1000)
    await backfillJob(desk.ctx, name, { from: '2027-01-15T09:00:00Z', to: '2027-01-15T10:00:00Z' })
    const backfilled = (await desk.runs(name)).filter(r => r.trigger === 'backfill').map(r => r.id)

    const order: string[] = []
    let going = begun
    while (going.length > 0) {
      expect(going).toHaveLength(1)
      await worker.finish(going)
      going = await worker.take()
      order.push(...going.map(b => b.run_id))
    }
    expect(order).toEqual([manual.id, ended, scheduled.id, ...backfilled])
  })

  test('keeps only the latest of the scheduled runs that wait; those by hand, retried and put back stay', async () => {
    const name = await desk.job(hourly)
    const blocker = await triggerJob(desk.ctx, name)
    const one = await nextHour(name)
    const two = await nextHour(name)
    expect(outcome(await desk.run(one.id))).toBe('skipped/overlap')
    expect((await desk.run(one.id)).finished_at).toEqual(desk.now())
    // Put back by hand, a scheduled run is no longer superseded by later times, and supersedes none.
    await retryRun(desk.ctx, one.id)
    const manual = await triggerJob(desk.ctx, name)
    const three = await nextHour(name)
    await backfillJob(desk.ctx, name, {
      from: two.scheduled_for.toISOString(),
      to: two.scheduled_for.toISOString(),
    })
    const four = await nextHour(name)
    const became = async (id: string) => outcome(await desk.run(id))
    expect(await became(blocker.id)).toBe('pending')
    expect(await became(one.id)).toBe('pending')
    expect(await became(manual.id)).toBe('pending')
    // Skipped for overlap, and put back by the backfill.
    expect(await became(two.id)).toBe('pending')
    expect(await became(three.id)).toBe('skipped/overlap')
    expect(await became(four.id)).toBe('pending')
    expect(await getJobCounts(desk.ctx, name)).toMatchObject({ skipped: 3 })
  })

  test('does not count a run that only waits for a slot as one that waits for its turn', async () => {
    await desk.sql`update projects set limits = '{"project_calls_in_flight": 1}' where id = ${desk.ctx.projectId}`
    const other = await desk.job()
    await triggerJob(desk.ctx, other)
    const name = await desk.job(hourly)
    const first = await nextHour(name)
    const second = await nextHour(name)
    const third = await nextHour(name)
    await desk.sql`update projects set limits = '{}' where id = ${desk.ctx.projectId}`
    // The first has its turn and waits for the bound alone; of those behind it the latest stays.
    expect((await desk.runs(name)).map(outcome)).toEqual(['pending', 'skipped/overlap', 'pending'])
    expect([first, second, third].map(r => r.waits_for_turn)).toEqual([false, true, true])
  })

  test('of several times that come due at once runs the first and keeps the last', async () => {
    const name = await desk.job({ cron: '* * * * *', overlap: 'queue' })
    desk.services.limits = { ...desk.services.limits, shortest_interval_seconds: 1 }
    const quick = await desk.job({ cron: '*/20 * * * * *', dialect: 'extended', overlap: 'queue' })
    desk.at('2027-01-15T12:01:00Z')
    await desk.tick()
    expect((await desk.runs(name)).map(outcome)).toEqual(['pending'])
    expect((await desk.runs(quick)).map(outcome)).toEqual(['pending', 'skipped/overlap', 'pending'])
    expect((await desk.runs(quick)).map(r => r.waits_for_turn)).toEqual([false, false, true])
  })

  test('releases the next whichever way a run ends', async () => {
    const name = await desk.job({ ...hourly, max_attempts: 1 })
    const [a, b, c] = [
      await triggerJob(desk.ctx, name),
      await triggerJob(desk.ctx, name),
      await triggerJob(desk.ctx, name),
    ]
    const admitted = async () => (await desk.runs(name)).filter(r => r.slot_host !== null).map(r => r.id)
    expect(await admitted()).toEqual([a?.id])
    await cancelRun(desk.ctx, a?.id ?? '')
    expect(await admitted()).toEqual([b?.id])
    await worker.finish(await worker.take(), { class: 'blocked', message: 'no' })
    expect(await admitted()).toEqual([c?.id])
    // One that waits and is cancelled lets nobody go.
    const d = await triggerJob(desk.ctx, name)
    const e = await triggerJob(desk.ctx, name)
    await cancelRun(desk.ctx, d.id)
    expect(await admitted()).toEqual([c?.id])
    await worker.work()
    expect((await desk.run(e.id)).state).toBe('succeeded')
  })
})

describe('an edit of overlap while runs wait', () => {
  test.each(['skip', 'allow'] as const)('from queue to %s lets them all go', async overlap => {
    const name = await desk.job({ overlap: 'queue' })
    for (let i = 0; i < 3; i++) await triggerJob(desk.ctx, name)
    expect(await worker.take()).toHaveLength(1)
    await patchJob(desk.ctx, name, { overlap })
    expect(await worker.take()).toHaveLength(2)
  })

  test('from queue to skip still takes backfilled times one after the other', async () => {
    const name = await desk.job({ cron: '0 * * * *', overlap: 'queue' })
    await triggerJob(desk.ctx, name)
    await backfillJob(desk.ctx, name, { from: '2027-01-15T08:00:00Z', to: '2027-01-15T10:00:00Z' })
    expect(await worker.take()).toHaveLength(1)
    await patchJob(desk.ctx, name, { overlap: 'skip' })
    for (let hour = 8; hour <= 10; hour++) {
      const begun = await worker.take()
      expect(begun.map(b => b.scheduled_for.getUTCHours())).toEqual([hour])
      await worker.finish(begun)
    }
  })

  test('to queue makes what has not begun wait for its turn, also what was admitted', async () => {
    const name = await desk.job({ overlap: 'allow' })
    const [first, second, third] = [
      await triggerJob(desk.ctx, name),
      await triggerJob(desk.ctx, name),
      await triggerJob(desk.ctx, name),
    ]
    const begun = await worker.take(1)
    expect(begun.map(b => b.run_id)).toEqual([first?.id])
    await patchJob(desk.ctx, name, { overlap: 'queue' })
    // Their tasks are old ones now.
    expect(await worker.take()).toEqual([])
    await worker.finish(begun)
    const next = await worker.take()
    expect(next.map(b => b.run_id)).toEqual([second?.id])
    await worker.finish(next)
    expect((await worker.take()).map(b => b.run_id)).toEqual([third?.id])
  })

  test('to queue at a due time takes runs before the project, so that who renews a task is not waited for in a circle', async () => {
    const name = await desk.job({ cron: '0 * * * *', overlap: 'allow' })
    const { id } = await triggerJob(desk.ctx, name)
    desk.at('2027-01-15T13:00:00Z')
    const edit = await desk.sql.begin(async sql => {
      await sql`select id from runs where id = ${id} for no key update`
      const patched = patchJob(desk.ctx, name, { overlap: 'queue' })
      await untilBlocked(desk.sql, 1)
      await sql`select id from projects where id = ${desk.ctx.projectId} for no key update`
      // Not awaited in here: it goes on once this is committed.
      return { patched }
    })
    await edit.patched
    expect((await desk.runs(name)).map(run => [run.trigger, run.waits_for_turn])).toEqual([
      ['manual', false],
      ['schedule', true],
    ])
  })

  test('to queue while nothing has begun lets one go, and keeps the latest of the scheduled ones that wait', async () => {
    const name = await desk.job({ cron: '0 * * * *', overlap: 'allow' })
    for (let i = 0; i < 4; i++) await nextHour(name)
    await patchJob(desk.ctx, name, { overlap: 'queue' })
    expect((await desk.runs(name)).map(outcome)).toEqual([
      'pending',
      'skipped/overlap',
      'skipped/overlap',
      'pending',
    ])
    const hours = (await worker.work()).map(b => b.scheduled_for.getUTCHours())
    expect(hours).toEqual([13, 16])
  })
})
