import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ContainerHands, imageJob, placeOf } from '../../test/containers.ts'
import { type Desk, openDesk } from '../../test/job-desk.ts'
import { pipeline, step } from '../../test/pipelines.ts'
import { failing, PretendWorker, tasksOf } from '../../test/pretend-worker.ts'
import { expireWaits } from '../callback/expire-waits.ts'
import { recordCallback } from '../callback/record-callback.ts'
import { adoptContainers } from '../container/adopt-containers.ts'
import { beginContainers } from '../container/begin-containers.ts'
import { triggerJob } from '../job/trigger-job.ts'
import { admitDue } from '../schedule/admit-due.ts'
import { cancelRun } from './cancel-run.ts'
import { Rescuer } from './rescuer.ts'

// Everything goes on within 30 s (spec section 5, "Delivery"): whatever task is lost, wherever a worker is killed. The
// clock moves by hand, and all that is left is one other worker and a rescuer that has only just begun.

let desk: Desk
/** Who is killed. */
let victim: PretendWorker
beforeAll(async () => {
  desk = await openDesk()
})
afterAll(() => desk?.drop())
beforeEach(async () => {
  await desk.clear()
  await desk.sql`update projects set limits = '{}'`
  victim = await PretendWorker.start(desk.services)
})

const run = async (settings: Parameters<Desk['job']>[0] = {}) =>
  (await triggerJob(desk.ctx, await desk.job(settings))).id
const CALLBACK = { callback: { max_wait_seconds: 60 } } as const

/** Each leaves a run whose task has just been made: by what, and which attempt of it is the next. */
const MADE: [string, () => Promise<{ id: string; next: number }>][] = [
  ['the first attempt of a run', async () => ({ id: await run(), next: 1 })],
  [
    'the next attempt after a wait',
    async () => {
      const id = await run({ min_backoff_seconds: 60 })
      await victim.finish(await victim.take(), failing(503))
      desk.advance(60_000)
      await admitDue(desk.services)
      return { id, next: 2 }
    },
  ],
  [
    'the next step of a pipeline',
    async () => {
      const id = await run(pipeline())
      await victim.finish(await victim.take())
      return { id, next: 1 }
    },
  ],
  [
    'the step after one that waited for its callback',
    async () => {
      const id = await run(pipeline({ steps: [step('load', { response: CALLBACK }), step('train')] }))
      const [begun] = await victim.take()
      await victim.finish(begun ? [begun] : [])
      await recordCallback(desk.services, begun?.attempt_id ?? '', { ctx: desk.ctx }, { result: 'OK' })
      return { id, next: 1 }
    },
  ],
  [
    'the turn of a run that was queued',
    async () => {
      const name = await desk.job({ overlap: 'queue' })
      await triggerJob(desk.ctx, name)
      const { id } = await triggerJob(desk.ctx, name)
      await victim.finish(await victim.take())
      return { id, next: 1 }
    },
  ],
  [
    'the turn that the end of a wait for a callback gave',
    async () => {
      const name = await desk.job({ overlap: 'queue', response: CALLBACK })
      await triggerJob(desk.ctx, name)
      const { id } = await triggerJob(desk.ctx, name)
      await victim.finish(await victim.take())
      desk.advance(60_000)
      await victim.renew()
      expect(await expireWaits(desk.services, 10)).toBe(1)
      return { id, next: 1 }
    },
  ],
  [
    'a run that the bounds put off',
    async () => {
      await desk.sql`update projects set limits = '{"project_calls_in_flight": 1}'`
      await run()
      const id = await run()
      const begun = await victim.take()
      expect(await tasksOf(desk.sql, id)).toEqual([])
      await victim.finish(begun)
      return { id, next: 1 }
    },
  ],
  [
    'a run whose slot came free by a cancel',
    async () => {
      await desk.sql`update projects set limits = '{"project_calls_in_flight": 1}'`
      const first = await run()
      const id = await run()
      await victim.take()
      await cancelRun(desk.ctx, first)
      return { id, next: 1 }
    },
  ],
]

/** Each loses that task; some lose an attempt with it. @returns how many attempts are lost */
const LOST: [string, (id: string) => Promise<number>][] = [
  [
    'its task is deleted',
    async id => {
      const gone = await desk.sql`
        delete from graphile_worker._private_jobs where payload ->> 'run' = ${id} returning id`
      expect(gone).toHaveLength(1)
      return 0
    },
  ],
  [
    'the worker that fetched it is killed before it begins',
    async id => {
      const fetched = await victim.fetch()
      expect(fetched.map(task => task.runId)).toContain(id)
      return 0
    },
  ],
  [
    'the worker is killed in the middle of its call',
    async id => {
      const begun = await victim.take()
      expect(begun.map(b => b.run_id)).toContain(id)
      return 1
    },
  ],
]

/** What is left sweeps every 3 s until it is at that; @returns the milliseconds of clock that have passed. */
async function until(isAt: (other: PretendWorker) => Promise<boolean>): Promise<number> {
  const rescuer = new Rescuer(desk.services)
  const other = await PretendWorker.start(desk.services)
  for (let passed = 0; passed <= 60_000; passed += 3_000) {
    await other.renew()
    await rescuer.sweep()
    if (await isAt(other)) return passed
    desk.advance(3_000)
  }
  throw new Error('nothing has gone on within a minute')
}

describe.each(MADE)('%s', (_, make) => {
  test.each(LOST)('goes on within 30 s when %s', async (_how, lose) => {
    const { id, next } = await make()
    const lost = await lose(id)
    const numbers: number[] = []
    const passed = await until(async other => {
      const begun = (await other.take()).filter(b => b.run_id === id)
      numbers.push(...begun.map(b => b.number))
      await other.finish(begun)
      return begun.length > 0
    })
    expect(passed).toBeLessThanOrEqual(30_000)
    expect(numbers).toEqual([next + lost])
    expect((await desk.attempts(id)).filter(a => a.state === 'lost')).toHaveLength(lost)
  })
})

describe('with every worker killed before its task was even made', () => {
  test('the next attempt goes on within 30 s of its time', async () => {
    const id = await run({ min_backoff_seconds: 60 })
    await victim.finish(await victim.take(), failing(503))
    desk.advance(60_000)
    const passed = await until(async other => (await other.take()).some(b => b.run_id === id))
    expect(passed).toBeLessThanOrEqual(30_000)
  })

  test('a wait for a callback ends within 30 s of its time, and gives the turn on', async () => {
    const name = await desk.job({ overlap: 'queue', response: CALLBACK })
    const first = (await triggerJob(desk.ctx, name)).id
    const second = (await triggerJob(desk.ctx, name)).id
    await victim.finish(await victim.take())
    desk.advance(60_000)
    const passed = await until(async other => {
      await expireWaits(desk.services, 10)
      return (await other.take()).some(b => b.run_id === second)
    })
    expect(passed).toBeLessThanOrEqual(30_000)
    expect(await desk.run(first)).toMatchObject({ state: 'failed', error_class: 'callback_timeout' })
  })

  test('a turn that nobody gave, and a slot that nobody gave, are given within 30 s', async () => {
    const name = await desk.job({ overlap: 'queue' })
    const ahead = (await triggerJob(desk.ctx, name)).id
    const turn = (await triggerJob(desk.ctx, name)).id
    const slot = await run()
    await victim.take()
    // As if what ended the one ahead had left the rest to nobody.
    await desk.sql`
      update attempts set state = 'succeeded', finished_at = started_at where run_id = any(${[ahead, slot]})`
    await desk.sql`
      update runs set state = 'succeeded', finished_at = created_at, slot_host = null, admitted_at = null,
        current_attempt_id = null where id = ${ahead}`
    await desk.sql`
      update runs set slot_host = null, admitted_at = null, current_attempt_id = null, due_at = created_at
      where id = ${slot}`
    const seen = new Set<string>()
    const passed = await until(async other => {
      for (const b of await other.take()) seen.add(b.run_id)
      return seen.has(turn) && seen.has(slot)
    })
    expect(passed).toBeLessThanOrEqual(30_000)
  })
})

describe('a container', () => {
  const container = async () => (await triggerJob(desk.ctx, await imageJob(desk))).id
  /** What another worker that has the executor begins or adopts. */
  async function goesOn(id: string): Promise<{ passed: number; attempts: string[] }> {
    const attempts: string[] = []
    const passed = await until(async other => {
      const tasks = await other.fetch()
      const { services } = desk
      const begun = await beginContainers(services, other.id, tasks, placeOf, desk.now())
      const adopter = { workerId: other.id, executor: 'docker' as const, held: begun.map(b => b.handle_id) }
      const adopted = await adoptContainers(services, adopter, 10)
      attempts.push(...[...begun, ...adopted].filter(c => c.run_id === id).map(c => c.attempt_id))
      return attempts.length > 0
    })
    return { passed, attempts }
  }

  test.each(LOST.slice(0, 2))('is begun within 30 s when %s', async (_, lose) => {
    const id = await container()
    await lose(id)
    expect((await goesOn(id)).passed).toBeLessThanOrEqual(30_000)
  })

  test.each(['begun', 'running', 'to be removed'])(
    'that is %s is watched again within 30 s of the death of its worker, as the same attempt',
    async how => {
      const id = await container()
      const hands = new ContainerHands(desk.services, victim)
      const [begun] = await hands.begin()
      if (!begun) throw new Error('no container has begun')
      if (how !== 'begun') await hands.started(begun)
      if (how === 'to be removed') await cancelRun(desk.ctx, id)
      const { passed, attempts } = await goesOn(id)
      expect(passed).toBeLessThanOrEqual(30_000)
      expect(attempts).toEqual([begun.attempt_id])
      expect(await desk.attempts(id)).toHaveLength(1)
    },
  )
})
