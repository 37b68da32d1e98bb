import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Desk, openDesk, outcome } from '../../test/job-desk.ts'
import { failing, PretendWorker, tasksOf } from '../../test/pretend-worker.ts'
import { auditRows, makeTenant, whoMay } from '../../test/tenants.ts'
import { deleteJob } from '../job/delete-job.ts'
import { getJobCounts } from '../job/get-job-counts.ts'
import { triggerJob } from '../job/trigger-job.ts'
import { cancelRun } from './cancel-run.ts'
import { getRun } from './get-run.ts'
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
  desk.at('2027-01-15T12:00:00Z')
  worker = await PretendWorker.start(desk.services)
})

async function manual(settings: Parameters<Desk['job']>[0] = {}): Promise<string> {
  return (await triggerJob(desk.ctx, await desk.job(settings))).id
}

/** A run that is open in one way or another. */
const OPEN = {
  'pending with a task': () => manual(),
  'pending without a slot': async () => {
    const id = await manual()
    await desk.sql`update runs set slot_host = null, admitted_at = null, due_at = ${desk.now()} where id = ${id}`
    return id
  },
  'pending behind another': async () => {
    const name = await desk.job({ overlap: 'queue' })
    await triggerJob(desk.ctx, name)
    return (await triggerJob(desk.ctx, name)).id
  },
  'calling its target': async () => {
    const id = await manual()
    await worker.take()
    return id
  },
  'in a backoff': async () => {
    const id = await manual()
    await worker.finish(await worker.take(), failing(500))
    return id
  },
  'lost and waiting for its next attempt': async () => {
    const id = await manual()
    await worker.take()
    desk.advance(15_001)
    await rescueRuns(desk.services, true)
    return id
  },
} as const

/** A run that has ended in one way or another. */
const ENDED = {
  succeeded: async () => {
    const id = await manual()
    await worker.work()
    return id
  },
  failed: async () => {
    const id = await manual()
    await worker.work(failing(404))
    return id
  },
  cancelled: async () => {
    const id = await manual()
    await cancelRun(desk.ctx, id)
    return id
  },
  'skipped/overlap': async () => {
    const name = await desk.job({ cron: '0 13 * * *' })
    await triggerJob(desk.ctx, name)
    desk.at('2027-01-15T13:00:00Z')
    await desk.tick()
    await worker.work()
    return (await desk.runs(name)).at(-1)?.id ?? ''
  },
  'skipped/missed': async () => {
    const name = await desk.job({ cron: '0 13 * * *' })
    desk.at('2027-01-15T14:00:00Z')
    await desk.tick()
    return (await desk.runs(name)).at(-1)?.id ?? ''
  },
} as const

test.each(Object.entries(OPEN))(
  'a run that is %s is cancelled once, starts no more and cannot be retried before',
  async (_, make) => {
    const id = await make()
    await expect(retryRun(desk.ctx, id)).rejects.toMatchObject({ code: 'run_not_finished' })
    const { run } = await cancelRun(desk.ctx, id)
    expect(run).toMatchObject({ state: 'cancelled', next_attempt_at: null, error: { class: 'cancelled' } })
    expect(run.error?.message).toBe('Cancelled by owner.')
    expect(await desk.run(id)).toMatchObject({
      due_at: null,
      slot_host: null,
      waits_for_turn: false,
      finished_at: desk.now(),
    })
    await expect(cancelRun(desk.ctx, id)).rejects.toMatchObject({ code: 'run_finished' })
    expect((await worker.take()).map(b => b.run_id)).not.toContain(id)
    desk.advance(60_000)
    await worker.renew()
    await rescueRuns(desk.services, true)
    expect((await worker.take()).map(b => b.run_id)).not.toContain(id)
    expect((await desk.attempts(id)).map(a => a.state)).not.toContain('running')
  },
)

test.each(Object.entries(ENDED))(
  'a run that is %s cannot be cancelled, and a retry puts it back',
  async (state, make) => {
    const id = await make()
    expect(outcome(await desk.run(id))).toBe(state)
    await expect(cancelRun(desk.ctx, id)).rejects.toMatchObject({ code: 'run_finished' })
    const before = await getRun(desk.ctx, id)
    const run = await retryRun(desk.ctx, id)
    expect(run).toMatchObject({
      id,
      scheduled_for: before.scheduled_for,
      trigger: before.trigger,
      state: 'pending',
      skip_reason: null,
      error: null,
      started_at: null,
      finished_at: null,
      finished_out_of_time: false,
      late_result: null,
      attempts: before.attempts,
    })
    expect(await worker.work()).toMatchObject([{ run_id: id, number: before.attempts.length + 1 }])
    expect((await desk.run(id)).state).toBe('succeeded')
  },
)

describe('two at once', () => {
  const settled = async (calls: Promise<unknown>[]) =>
    (await Promise.allSettled(calls)).map(r =>
      r.status === 'fulfilled' ? 'ok' : (r.reason as { code: string }).code,
    )

  test('of two retries one wins, and the run is put back once', async () => {
    const id = await ENDED.failed()
    const results = await settled([retryRun(desk.ctx, id), retryRun(desk.ctx, id)])
    expect(results.sort()).toEqual(['ok', 'run_not_finished'])
    expect(await tasksOf(desk.sql, id)).toHaveLength(1)
    expect(
      (await auditRows(desk.sql, desk.ctx.organizationId))
        .filter(a => a.subject_id === id)
        .map(a => a.action),
    ).toEqual(['run.retry'])
  })

  test('of two cancels one wins, and it is counted once', async () => {
    const name = await desk.job()
    const { id } = await triggerJob(desk.ctx, name)
    const results = await settled([cancelRun(desk.ctx, id), cancelRun(desk.ctx, id), cancelRun(desk.ctx, id)])
    expect(results.sort()).toEqual(['ok', 'run_finished', 'run_finished'])
    expect(await getJobCounts(desk.ctx, name)).toMatchObject({ cancelled: 1 })
  })

  test('a cancel and a retry of a run that is going: the retry comes first and is refused, or after and puts it back', async () => {
    for (let i = 0; i < 5; i++) {
      const id = await manual()
      await worker.take()
      const results = await settled([cancelRun(desk.ctx, id), retryRun(desk.ctx, id)])
      const { state } = await desk.run(id)
      if (results[1] === 'ok') expect([results[0], state]).toEqual(['ok', 'pending'])
      else expect([...results, state]).toEqual(['ok', 'run_not_finished', 'cancelled'])
      await desk.clear()
      worker = await PretendWorker.start(desk.services)
    }
  })

  test('a cancel and the result of the call: whoever commits first decides, the other changes nothing', async () => {
    const seen = new Set<string>()
    for (let i = 0; i < 8; i++) {
      const id = await manual()
      const begun = await worker.take()
      const calls = [() => cancelRun(desk.ctx, id), () => worker.finish(begun)]
      await settled((i % 2 === 0 ? calls : calls.reverse()).map(call => call()))
      const run = await desk.run(id)
      const [attempt] = await desk.attempts(id)
      seen.add(run.state)
      expect(attempt?.state).toBe(run.state)
      expect(attempt?.late_result === null).toBe(run.state === 'succeeded')
    }
    expect([...seen].every(state => state === 'cancelled' || state === 'succeeded')).toBe(true)
  })

  test('a cancel of many runs and the results of their calls never wait for each other in a circle', async () => {
    const names = [await desk.job({ overlap: 'allow' }), await desk.job({ overlap: 'queue' })]
    for (let i = 0; i < 12; i++) await triggerJob(desk.ctx, names[i % 2] ?? '')
    const begun = await worker.take()
    const open = (await Promise.all(names.map(name => desk.runs(name)))).flat()
    await settled([
      worker.finish(begun),
      ...open.map(run => cancelRun(desk.ctx, run.id)),
      rescueRuns(desk.services, true),
      desk.tick(),
    ]).then(results => expect(results.filter(r => r !== 'ok' && r !== 'run_finished')).toEqual([]))
    for (const run of open) expect(['cancelled', 'succeeded']).toContain((await desk.run(run.id)).state)
  })
})

test('a cancel tells the workers which call to abort', async () => {
  const heard: string[] = []
  let hear: () => void = () => undefined
  const first = new Promise<void>(resolve => {
    hear = resolve
  })
  const { unlisten } = await desk.sql.listen('workly_abort', ids => {
    heard.push(...ids.split(','))
    hear()
  })
  const id = await OPEN['calling its target']()
  await cancelRun(desk.ctx, id)
  await first
  expect(heard).toEqual((await desk.attempts(id)).map(a => a.id))
  await unlisten()
})

test('a cancelled run that was retried is cancelled again like any other', async () => {
  const id = await ENDED.cancelled()
  await retryRun(desk.ctx, id)
  await worker.take()
  await cancelRun(desk.ctx, id)
  expect((await desk.attempts(id)).map(a => a.state)).toEqual(['cancelled'])
})

test('runs of another tenant, of a deleted job and unknown ones are not found', async () => {
  const stranger = (await makeTenant(desk.services)).as('owner')
  const name = await desk.job()
  const { id } = await triggerJob(desk.ctx, name)
  for (const verb of [cancelRun, retryRun, getRun]) {
    await expect(verb(stranger, id)).rejects.toMatchObject({ code: 'not_found' })
    await expect(verb(desk.ctx, 'run_00000000000000000000000000')).rejects.toMatchObject({
      code: 'not_found',
    })
    await expect(verb(desk.ctx, "run_' or true --")).rejects.toMatchObject({ code: 'not_found' })
  }
  await deleteJob(desk.ctx, name)
  for (const verb of [cancelRun, retryRun, getRun])
    await expect(verb(desk.ctx, id)).rejects.toMatchObject({ code: 'not_found' })
})

test('operators and keys with run may cancel and retry', async () => {
  const tenant = await makeTenant(desk.services)
  const refused = (ctx: typeof desk.ctx) =>
    cancelRun(ctx, 'run_00000000000000000000000000').catch(expectNotFound)
  const allowed = ['operator', 'developer', 'admin', 'owner', 'key:run', 'key:write']
  expect(await whoMay(tenant, refused)).toEqual(allowed)
  expect(
    await whoMay(tenant, ctx => retryRun(ctx, 'run_00000000000000000000000000').catch(expectNotFound)),
  ).toEqual(allowed)
})

function expectNotFound(error: { code?: string }): void {
  if (error.code !== 'not_found') throw error
}
