import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Desk, openDesk } from '../../test/job-desk.ts'
import { failing, PretendWorker, tasksOf, untilBlocked } from '../../test/pretend-worker.ts'
import { finishAttempts } from '../attempt/finish-attempts.ts'
import { deleteJob } from '../job/delete-job.ts'
import { getJobCounts } from '../job/get-job-counts.ts'
import { triggerJob } from '../job/trigger-job.ts'
import { loseForgotten } from './lose-forgotten.ts'
import { rescueRuns } from './rescue-runs.ts'
import { retryRun } from './retry-run.ts'

let desk: Desk
let worker: PretendWorker
beforeAll(async () => {
  desk = await openDesk()
})
afterAll(() => desk?.drop())
beforeEach(async () => {
  await desk.clear()
  worker = await PretendWorker.start(desk.services)
})

const NOTHING = { deadWorkers: [], lostAttempts: 0, newTasks: 0, admitted: 0 }

/** A run of a job of its own. */
async function triggered(settings: Parameters<Desk['job']>[0] = {}): Promise<string> {
  return (await triggerJob(desk.ctx, await desk.job(settings))).id
}

/** A lease and a millisecond pass in which the worker says nothing. */
function falls(silent: PretendWorker): string {
  desk.advance(15_001)
  return silent.id
}

const attemptsOf = async (runId: string) =>
  (await desk.attempts(runId)).map(a => `${a.number} ${a.state}${a.late_result ? ' late' : ''}`)

describe('the dead', () => {
  test('what a dead worker had in flight ends as lost, uncounted, and is followed at once by another attempt', async () => {
    const run = await triggered({ max_attempts: 1 })
    await worker.take()
    const id = falls(worker)
    expect(await rescueRuns(desk.services, true)).toEqual({ ...NOTHING, deadWorkers: [id], lostAttempts: 1 })
    expect(await desk.attempts(run)).toMatchObject([
      {
        state: 'lost',
        error_class: 'lost',
        next_attempt_at: desk.now(),
        next_attempt_reason: 'A lost attempt is followed at once by another.',
      },
    ])
    expect(await desk.run(run)).toMatchObject({ state: 'running', attempts_counted: 0, error_class: 'lost' })
    const other = await PretendWorker.start(desk.services)
    const again = await other.take()
    expect(again.map(b => [b.run_id, b.number])).toEqual([[run, 2]])
    await other.finish(again)
    expect(await desk.run(run)).toMatchObject({ state: 'succeeded', error_class: null })
  })

  test('tasks that a dead worker fetched and did not begin go to others', async () => {
    const run = await triggered()
    await worker.fetch()
    falls(worker)
    const other = await PretendWorker.start(desk.services)
    expect(await other.take()).toEqual([])
    await rescueRuns(desk.services, true)
    expect((await other.take()).map(b => [b.run_id, b.number])).toEqual([[run, 1]])
  })

  test('a lease is good to its last millisecond, and one that is renewed is never taken', async () => {
    await triggered()
    await worker.take()
    desk.advance(15_000)
    expect(await rescueRuns(desk.services, true)).toEqual(NOTHING)
    await worker.renew()
    falls(worker)
    await worker.renew()
    expect(await rescueRuns(desk.services, true)).toEqual(NOTHING)
  })

  test('nobody is buried by one who has not reached the database for a whole lease', async () => {
    const run = await triggered()
    const begun = await worker.take()
    falls(worker)
    expect(await rescueRuns(desk.services, false)).toEqual(NOTHING)
    // The database was away, and all live on.
    expect(await worker.renew()).toBe(true)
    expect(await worker.finish(begun)).toEqual([])
    expect((await desk.run(run)).state).toBe('succeeded')
  })

  test('of two rescuers at once one takes over, and nothing is lost twice', async () => {
    const runs = [await triggered(), await triggered(), await triggered()]
    await worker.take()
    falls(worker)
    const other = await PretendWorker.start(desk.services)
    const sweeps = await Promise.all([1, 2, 3].map(() => rescueRuns(desk.services, true)))
    expect(sweeps.flatMap(s => s.deadWorkers)).toEqual([worker.id])
    expect(sweeps.reduce((sum, s) => sum + s.lostAttempts, 0)).toBe(3)
    expect((await other.work()).map(b => b.run_id).sort()).toEqual([...runs].sort())
    for (const run of runs) expect(await attemptsOf(run)).toEqual(['1 lost', '2 succeeded'])
  })

  test('a rescuer and the result of the call that is being taken over: whoever commits first wins', async () => {
    const run = await triggered()
    const begun = await worker.take()
    falls(worker)
    // Both wait for the job, the finish first.
    const both = await desk.sql.begin(async sql => {
      await sql`select id from jobs where id = (select job_id from runs where id = ${run}) for update`
      const finishing = worker.finish(begun)
      await untilBlocked(desk.sql, 1)
      const sweeping = rescueRuns(desk.services, true)
      await untilBlocked(desk.sql, 2)
      return { finishing, sweeping }
    })
    expect(await both.finishing).toEqual([])
    expect(await both.sweeping).toMatchObject({ deadWorkers: [worker.id], lostAttempts: 0 })
    expect(await attemptsOf(run)).toEqual(['1 succeeded'])
    expect((await desk.run(run)).state).toBe('succeeded')
  })

  test('an attempt left open by a worker that is gone is taken over by any later sweep', async () => {
    const run = await triggered()
    await worker.take()
    await desk.sql`update workers set lost_at = ${desk.now()} where id = ${worker.id}`
    expect(await rescueRuns(desk.services, false)).toMatchObject({ deadWorkers: [], lostAttempts: 1 })
    expect(await attemptsOf(run)).toEqual(['1 lost'])
  })
})

describe('three in a row', () => {
  /** Takes the run and dies. */
  async function die(): Promise<void> {
    const victim = await PretendWorker.start(desk.services)
    expect(await victim.take()).toHaveLength(1)
    falls(victim)
    await worker.renew()
    await rescueRuns(desk.services, true)
  }

  test('the third attempt in a row that is lost to a death ends the run as failed', async () => {
    const name = await desk.job({ max_attempts: 50, overlap: 'queue' })
    const run = (await triggerJob(desk.ctx, name)).id
    const behind = (await triggerJob(desk.ctx, name)).id
    await die()
    await die()
    expect(await desk.run(run)).toMatchObject({ state: 'running', lost_in_a_row: 2 })
    await die()
    expect(await desk.run(run)).toMatchObject({
      state: 'failed',
      error_class: 'lost',
      due_at: null,
      slot_host: null,
    })
    expect((await desk.run(run)).error_message).toMatch(/3rd in a row/)
    expect((await desk.attempts(run)).at(-1)).toMatchObject({
      state: 'lost',
      next_attempt_at: null,
      next_attempt_reason: null,
    })
    expect(await getJobCounts(desk.ctx, name)).toMatchObject({ failed: 1, consecutive_failures: 1 })
    // Its end lets the next one go.
    expect((await worker.take()).map(b => b.run_id)).toEqual([behind])
  })

  test('an attempt that ends otherwise breaks the row', async () => {
    const run = await triggered({ max_attempts: 50, min_backoff_seconds: 0 })
    await die()
    await die()
    await worker.finish(await worker.take(), failing(500))
    await die()
    await die()
    expect(await desk.run(run)).toMatchObject({ state: 'running', lost_in_a_row: 2, attempts_counted: 1 })
    await die()
    expect((await desk.run(run)).state).toBe('failed')
  })

  test('those that a shutdown ended are not counted, and do not break the row', async () => {
    const run = await triggered()
    await die()
    for (let i = 0; i < 4; i++) {
      const leaving = await PretendWorker.start(desk.services)
      expect(await leaving.take()).toHaveLength(1)
      expect(await leaving.stop()).toBe(1)
    }
    await die()
    expect(await desk.run(run)).toMatchObject({ state: 'running', lost_in_a_row: 2 })
    await die()
    expect((await desk.run(run)).state).toBe('failed')
  })

  test('a retry by hand begins anew', async () => {
    const run = await triggered()
    for (let i = 0; i < 3; i++) await die()
    await retryRun(desk.ctx, run)
    await die()
    expect(await desk.run(run)).toMatchObject({ state: 'running', lost_in_a_row: 1 })
    expect((await worker.work()).map(b => b.number)).toEqual([5])
  })
})

describe('a task', () => {
  const age = (seconds: number) => desk.sql`
    update graphile_worker._private_jobs set locked_at = locked_at - ${seconds} * interval '1 second'`

  test('that is gone is made anew once the run has been due for 10 s', async () => {
    const run = await triggered()
    await desk.sql`delete from graphile_worker._private_jobs`
    desk.advance(10_000)
    expect((await rescueRuns(desk.services, false)).newTasks).toBe(0)
    desk.advance(1)
    expect((await rescueRuns(desk.services, false)).newTasks).toBe(1)
    expect(await tasksOf(desk.sql, run)).toMatchObject([{ number: 2 }])
    expect((await rescueRuns(desk.services, false)).newTasks).toBe(0)
    expect((await worker.take()).map(b => b.run_id)).toEqual([run])
  })

  test('that waits for a free worker is left alone, however long', async () => {
    await triggered()
    desk.advance(3_600_000)
    await worker.renew()
    expect(await rescueRuns(desk.services, true)).toEqual(NOTHING)
  })

  test('whose attempt is under way is left alone, however long', async () => {
    const run = await triggered()
    await worker.take()
    await age(3_600)
    desk.advance(3_600_000)
    await worker.renew()
    expect(await rescueRuns(desk.services, true)).toEqual(NOTHING)
    expect(await attemptsOf(run)).toEqual(['1 running'])
  })

  test('of a next attempt is made anew too', async () => {
    const run = await triggered({ min_backoff_seconds: 0 })
    await worker.finish(await worker.take(), failing(500))
    await desk.sql`delete from graphile_worker._private_jobs`
    desk.advance(10_001)
    expect((await rescueRuns(desk.services, false)).newTasks).toBe(1)
    expect((await worker.take()).map(b => [b.run_id, b.number])).toEqual([[run, 2]])
  })

  test('that is held by the pool of a worker that has stopped is made anew', async () => {
    const run = await triggered()
    await worker.fetch()
    await worker.stop()
    desk.advance(10_001)
    expect((await rescueRuns(desk.services, false)).newTasks).toBe(1)
    const other = await PretendWorker.start(desk.services)
    expect((await other.take()).map(b => b.run_id)).toEqual([run])
  })

  test('that a living worker holds is its own for 20 s, and then given to another', async () => {
    const run = await triggered()
    const old = await worker.fetch()
    await age(15)
    desk.advance(10_001)
    expect((await rescueRuns(desk.services, false)).newTasks).toBe(0)
    await age(6)
    expect((await rescueRuns(desk.services, false)).newTasks).toBe(1)
    expect(await worker.begin(old)).toEqual([])
    const other = await PretendWorker.start(desk.services)
    expect((await other.take()).map(b => [b.run_id, b.number])).toEqual([[run, 1]])
  })

  test('that its worker never heard of, or whose end was not told, is locked no longer than that', async () => {
    const [unheard, ended, waiting] = [await triggered(), await triggered(), await triggered()]
    const begun = await worker.begin((await worker.fetch()).filter(t => t.runId !== unheard))
    const finished = begun.filter(b => b.run_id === ended).map(b => worker.finished(b))
    expect(await finishAttempts(desk.services, finished, desk.now())).toEqual([])
    const locked = async () =>
      (
        await desk.sql`
      select payload ->> 'run' as run from graphile_worker._private_jobs where locked_at is not null`
      ).map(t => t.run)
    await age(19)
    desk.advance(10_001)
    await worker.renew()
    await rescueRuns(desk.services, false)
    expect((await locked()).sort()).toEqual([unheard, ended, waiting].sort())
    await age(2)
    expect((await rescueRuns(desk.services, false)).newTasks).toBe(1)
    expect(await locked()).toEqual([])
    // Those that were under way are not disturbed, and the one unheard of has its new task.
    expect(await worker.finish(begun.filter(b => b.run_id === waiting))).toEqual([])
    expect((await worker.work()).map(b => [b.run_id, b.number])).toEqual([[unheard, 1]])
    expect((await Promise.all([unheard, ended, waiting].map(id => desk.run(id)))).map(r => r.state)).toEqual(
      Array(3).fill('succeeded'),
    )
  })

  test('that the queue itself has put off after a failure, or given up, is made anew', async () => {
    const [failed, givenUp] = [await triggered(), await triggered()]
    await desk.sql`
      update graphile_worker._private_jobs set attempts = 7, run_at = now() + interval '20 minutes'
      where key = ${failed}`
    await desk.sql`update graphile_worker._private_jobs set attempts = max_attempts where key = ${givenUp}`
    desk.advance(10_001)
    expect((await rescueRuns(desk.services, false)).newTasks).toBe(2)
    expect((await worker.take()).map(b => b.run_id).sort()).toEqual([failed, givenUp].sort())
  })

  test('of two rescuers at once one makes it', async () => {
    const run = await triggered()
    await desk.sql`delete from graphile_worker._private_jobs`
    desk.advance(10_001)
    const sweeps = await Promise.all([1, 2, 3, 4].map(() => rescueRuns(desk.services, false)))
    expect(sweeps.reduce((sum, s) => sum + s.newTasks, 0)).toBe(1)
    expect(await tasksOf(desk.sql, run)).toHaveLength(1)
  })
})

describe('what was left', () => {
  test('a run that waits for its turn behind nobody is let go', async () => {
    const name = await desk.job({ overlap: 'queue' })
    const first = await triggerJob(desk.ctx, name)
    const second = await triggerJob(desk.ctx, name)
    await desk.sql`
      update runs set state = 'cancelled', finished_at = ${desk.now()}, slot_host = null, admitted_at = null
      where id = ${first.id}`
    expect((await rescueRuns(desk.services, false)).admitted).toBe(1)
    expect(await desk.run(second.id)).toMatchObject({ waits_for_turn: false, slot_host: 'target.example' })
  })

  test('a run that is due and fits is admitted, also long after its time', async () => {
    const run = await triggered()
    await desk.sql`update runs set slot_host = null, admitted_at = null, due_at = ${desk.now()} where id = ${run}`
    desk.advance(3_600_000)
    await worker.renew()
    expect((await rescueRuns(desk.services, false)).admitted).toBe(1)
  })

  test('a run that is not due, or waits behind another, is left waiting', async () => {
    const name = await desk.job({ overlap: 'queue' })
    await triggerJob(desk.ctx, name)
    await triggerJob(desk.ctx, name)
    const backoff = await triggered()
    await worker.finish(
      (await worker.take()).filter(b => b.run_id === backoff),
      failing(500),
    )
    expect(await rescueRuns(desk.services, false)).toEqual(NOTHING)
  })

  test('what belonged to a deleted job is not brought back', async () => {
    const name = await desk.job()
    const run = await triggerJob(desk.ctx, name)
    await worker.take()
    await deleteJob(desk.ctx, name)
    falls(worker)
    expect(await rescueRuns(desk.services, true)).toMatchObject({ lostAttempts: 0, newTasks: 0, admitted: 0 })
    expect(await attemptsOf(run.id)).toEqual(['1 cancelled'])
  })
})

test('a worker that stops hands over what it has in flight, queued again at once', async () => {
  const run = await triggered({ max_attempts: 1 })
  const begun = await worker.take()
  expect(await worker.stop()).toBe(1)
  expect(await attemptsOf(run)).toEqual(['1 lost'])
  const other = await PretendWorker.start(desk.services)
  expect((await other.work()).map(b => [b.run_id, b.number])).toEqual([[run, 2]])
  expect(await worker.finish(begun)).toEqual([begun[0]?.attempt_id])
  expect(await attemptsOf(run)).toEqual(['1 lost late', '2 succeeded'])
  expect((await desk.run(run)).state).toBe('succeeded')
})

test('a call that its living worker never heard of is lost after 20 s, uncounted, and made by another attempt', async () => {
  const [forgotten, held] = [await triggered({ max_attempts: 1 }), await triggered()]
  const begun = await worker.take()
  const known = begun.filter(b => b.run_id === held).map(b => b.attempt_id)
  const sweep = async () => {
    await worker.renew()
    return loseForgotten(desk.services, worker.id, known)
  }
  desk.advance(20_000)
  expect(await sweep()).toBe(0)
  desk.advance(1)
  expect(await sweep()).toBe(1)
  expect(await sweep()).toBe(0)
  expect(await attemptsOf(held)).toEqual(['1 running'])
  expect(await desk.run(forgotten)).toMatchObject({ state: 'running', lost_in_a_row: 0, attempts_counted: 0 })
  expect((await worker.work()).map(b => [b.run_id, b.number])).toEqual([[forgotten, 2]])
})
