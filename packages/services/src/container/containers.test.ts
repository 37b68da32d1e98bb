import { formatInstant } from '@workly/core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { ContainerHands, exits, failsAs, imageJob } from '../../test/containers.ts'
import { type Desk, openDesk } from '../../test/job-desk.ts'
import { PretendWorker } from '../../test/pretend-worker.ts'
import { expireWaits } from '../callback/expire-waits.ts'
import { recordCallback } from '../callback/record-callback.ts'
import { clearDeletedJobs } from '../job/clear-deleted-jobs.ts'
import { deleteJob } from '../job/delete-job.ts'
import { triggerJob } from '../job/trigger-job.ts'
import { cancelRun } from '../run/cancel-run.ts'
import { getRun } from '../run/get-run.ts'
import { handOver } from '../run/hand-over.ts'
import { loseForgotten } from '../run/lose-forgotten.ts'
import { rescueRuns } from '../run/rescue-runs.ts'
import { retryRun } from '../run/retry-run.ts'
import { adoptContainers } from './adopt-containers.ts'
import { installationName } from './installation-name.ts'
import { attemptsWithContainers } from './live-containers.ts'
import { takenContainers } from './remove-containers.ts'
import { untilGone } from './until-gone.ts'

let desk: Desk
let worker: PretendWorker
let hands: ContainerHands

beforeAll(async () => {
  desk = await openDesk()
})
afterAll(() => desk?.drop())
beforeEach(async () => {
  await desk.clear()
  await desk.sql`update projects set limits = '{}'`
  worker = await PretendWorker.start(desk.services)
  hands = new ContainerHands(desk.services, worker)
})

const started = async (...args: Parameters<typeof imageJob> extends [Desk, ...infer Rest] ? Rest : never) => {
  const name = await imageJob(desk, ...args)
  const run = await triggerJob(desk.ctx, name)
  return { name, run, container: await hands.one() }
}
const shown = (id: string) => getRun(desk.ctx, id)
const report = (attempt: string, result: string) =>
  recordCallback(desk.services, attempt, { ctx: desk.ctx }, { result, description: 'told' })

test('a container that exits with 0 succeeds its run, with its log, its code and how long it took', async () => {
  const { run, container } = await started()
  expect(await shown(run.id)).toMatchObject({
    state: 'running',
    attempts: [{ state: 'waiting', callback: null }],
  })
  desk.advance(90_000)
  expect(await hands.end(container)).toBe(true)
  const ended = await shown(run.id)
  expect(ended).toMatchObject({
    state: 'succeeded',
    attempts: [
      {
        state: 'succeeded',
        error: null,
        timings: { total_ms: 90_000 },
        container: { exit_code: 0, log: 'done\n', log_truncated: false },
      },
    ],
  })
})

test('another code fails it as container_exit, and the next attempt begins when the container is gone', async () => {
  const { run, container } = await started({}, { max_attempts: 2 })
  await hands.end(container, exits(3))
  expect(await shown(run.id)).toMatchObject({
    state: 'running',
    attempts: [{ state: 'failed', error: { class: 'container_exit' }, container: { exit_code: 3 } }],
  })
  expect(await hands.begin()).toEqual([])
  await rescueRuns(desk.services, false)
  expect(await hands.begin()).toEqual([])
  await hands.gone(container)
  const again = await hands.one()
  expect(again.attempt_id).not.toBe(container.attempt_id)
  await hands.end(again, exits(3))
  expect(await shown(run.id)).toMatchObject({ state: 'failed', error: { class: 'container_exit' } })
})

test.each([
  ['image_pull', {}, true],
  ['evicted', {}, true],
  ['timeout', {}, true],
  ['executor', {}, true],
  ['executor', { refused: true }, false],
  ['container_config', {}, false],
] as const)('of class %s %o it is retried: %s', async (cls, more, isRetried) => {
  const { run, container } = await started()
  await hands.end(container, failsAs(cls, more))
  expect(await shown(run.id)).toMatchObject({
    state: isRetried ? 'running' : 'failed',
    error: { class: cls, message: `It failed as ${cls}.` },
  })
})

test('with max_wait_seconds an exit with 0 goes on waiting, and the callback decides', async () => {
  const { run, container } = await started({ max_wait_seconds: 900 })
  const deadline = formatInstant(desk.now().getTime() + 900_000)
  expect(await shown(run.id)).toMatchObject({
    next_attempt_at: deadline,
    attempts: [{ callback: { deadline } }],
  })
  desk.advance(5_000)
  await hands.end(container)
  await hands.gone(container)
  expect(await shown(run.id)).toMatchObject({
    state: 'running',
    attempts: [{ state: 'waiting', container: { exit_code: 0, log: 'done\n' } }],
  })
  await report(container.attempt_id, 'OK')
  expect(await shown(run.id)).toMatchObject({
    state: 'succeeded',
    next_attempt_at: null,
    attempts: [
      { state: 'succeeded', timings: { total_ms: 5_000 }, callback: { result: 'OK', description: 'told' } },
    ],
  })
})

test('a callback decides while the container runs; its exit, whatever code, then changes nothing but is kept', async () => {
  const { run, container } = await started({ max_wait_seconds: 900 })
  await report(container.attempt_id, 'OK')
  expect(await shown(run.id)).toMatchObject({ state: 'succeeded' })
  expect(await hands.end(container, exits(1))).toBe(true)
  expect(await shown(run.id)).toMatchObject({
    state: 'succeeded',
    attempts: [{ state: 'succeeded', error: null, container: { exit_code: 1, log: 'done\n' } }],
  })
})

test('a callback that says ERROR fails it as callback_failed, and the next attempt waits for the container to go', async () => {
  const { run, container } = await started({ max_wait_seconds: 900 }, { max_attempts: 2 })
  await report(container.attempt_id, 'error')
  expect(await shown(run.id)).toMatchObject({
    state: 'running',
    attempts: [{ error: { class: 'callback_failed' } }],
  })
  expect(await hands.begin()).toEqual([])
  await hands.end(container)
  await hands.gone(container)
  expect(await hands.begin()).toHaveLength(1)
})

test('without max_wait_seconds a callback is shown with the attempt, and the exit decides', async () => {
  const { run, container } = await started()
  await report(container.attempt_id, 'ERROR')
  await report(container.attempt_id, 'OK')
  expect(await shown(run.id)).toMatchObject({
    state: 'running',
    attempts: [{ state: 'waiting', callback: { result: 'ERROR' }, late_result: null }],
  })
  await hands.end(container)
  expect(await shown(run.id)).toMatchObject({
    state: 'succeeded',
    attempts: [{ callback: { result: 'ERROR' } }],
  })
})

test('a wait that runs out fails the run; the container is left to its end, and a late callback is kept', async () => {
  const { run, container } = await started({ max_wait_seconds: 60 })
  desk.advance(60_000)
  expect(await expireWaits(desk.services, 10)).toBe(1)
  expect(await shown(run.id)).toMatchObject({ state: 'failed', error: { class: 'callback_timeout' } })
  expect(await takenContainers(desk.sql, worker.id, [container.handle_id])).toEqual([])
  expect(await attemptsWithContainers(desk.services, [container.attempt_id])).toEqual(
    new Set([container.attempt_id]),
  )
  await report(container.attempt_id, 'OK')
  expect(await shown(run.id)).toMatchObject({
    state: 'failed',
    finished_out_of_time: true,
    late_result: { result: 'OK' },
  })
  await hands.end(container)
  expect(await shown(run.id)).toMatchObject({
    attempts: [{ error: { class: 'callback_timeout' }, container: { exit_code: 0 } }],
  })
})

test('the wait counts from the making of the container, not from the beginning of its attempt', async () => {
  await triggerJob(desk.ctx, await imageJob(desk, { max_wait_seconds: 60 }))
  const [container] = await hands.begin()
  if (!container) throw new Error('nothing has begun')
  desk.advance(90_000)
  expect(await expireWaits(desk.services, 10)).toBe(0)
  expect(await hands.started(container)).toBe('goes on')
  desk.advance(59_000)
  // Told again by whoever took it over, it moves nothing.
  expect(await hands.started(container)).toBe('goes on')
  expect(await expireWaits(desk.services, 10)).toBe(0)
  desk.advance(1_000)
  expect(await expireWaits(desk.services, 10)).toBe(1)
})

test('a container counts in the bounds until it is gone, also when its run has ended', async () => {
  await desk.sql`update projects set limits = ${desk.sql.json({ project_calls_in_flight: 2, host_calls_in_flight: 1 })}`
  const first = await started({ max_wait_seconds: 900 })
  const second = await triggerJob(desk.ctx, await imageJob(desk))
  await report(first.container.attempt_id, 'OK')
  expect(await shown(first.run.id)).toMatchObject({ state: 'succeeded' })
  expect(await hands.begin()).toEqual([])
  // Another host has room, until the project has none.
  const [one, two] = [
    await triggerJob(desk.ctx, await desk.job()),
    await triggerJob(desk.ctx, await desk.job()),
  ]
  expect((await worker.take()).map(b => b.run_id)).toEqual([one?.id])
  await hands.end(first.container)
  expect(await hands.begin()).toEqual([])
  await hands.gone(first.container)
  expect((await hands.begin()).map(b => b.run_id)).toEqual([second.id])
  expect(await desk.run(two?.id ?? '')).toMatchObject({ slot_host: null })
})

test('a cancel ends the attempt, asks for the removal of the container, and knows when it is gone', async () => {
  const { run, container } = await started({}, { max_attempts: 3 })
  expect(await cancelRun(desk.ctx, run.id)).toMatchObject({
    isGone: false,
    run: {
      state: 'cancelled',
      cancel_requested_at: formatInstant(desk.now().getTime()),
      attempts: [{ state: 'cancelled' }],
    },
  })
  expect(await takenContainers(desk.sql, worker.id, [container.handle_id])).toEqual([
    { handle_id: container.handle_id, is_ours: true },
  ])
  expect(await untilGone(desk.ctx, run.id, 1)).toBe(false)
  const gone = untilGone(desk.ctx, run.id)
  await hands.end(container, failsAs('cancelled', { log: 'so far\n' }))
  await hands.gone(container)
  expect(await gone).toBe(true)
  expect(await shown(run.id)).toMatchObject({
    state: 'cancelled',
    attempts: [{ container: { log: 'so far\n' } }],
  })
})

test('a run that is cancelled and retried begins when the container of before is gone', async () => {
  const { run, container } = await started()
  await cancelRun(desk.ctx, run.id)
  await retryRun(desk.ctx, run.id)
  expect(await hands.begin()).toEqual([])
  await hands.gone(container)
  expect(await hands.begin()).toMatchObject([{ run_id: run.id }])
})

test('a cancel while the container is being made is told to its maker', async () => {
  const run = await triggerJob(desk.ctx, await imageJob(desk, { max_wait_seconds: 60 }))
  const [container] = await hands.begin()
  if (!container) throw new Error('nothing has begun')
  await cancelRun(desk.ctx, run.id)
  expect(await hands.started(container)).toBe('to be removed')
  expect(await shown(run.id)).toMatchObject({ state: 'cancelled', next_attempt_at: null })
})

test('the deletion of a job removes its containers, also of ended runs, and their handles outlive its rows', async () => {
  const { name, run, container } = await started({ max_wait_seconds: 900 })
  await report(container.attempt_id, 'OK')
  await deleteJob(desk.ctx, name)
  expect(await takenContainers(desk.sql, worker.id, [container.handle_id])).toHaveLength(1)
  for await (const _ of clearDeletedJobs(desk.services));
  expect(await desk.sql`select 1 from runs where id = ${run.id}`).toEqual([])
  expect(await hands.end(container, failsAs('cancelled'))).toBe(true)
  expect(
    await desk.sql`select 1 from container_handles where run_id = ${run.id} and gone_at is null`,
  ).toHaveLength(1)
  await hands.gone(container)
  expect(
    await desk.sql`select 1 from container_handles where run_id = ${run.id} and gone_at is null`,
  ).toEqual([])
})

test('the containers of a stopped or dead worker are adopted with the same attempt, and its own word counts no more', async () => {
  const { run, container } = await started({ env: { A: 'b' } })
  const other = await PretendWorker.start(desk.services)
  const adopter = { workerId: other.id, executor: 'docker' as const, held: [] }
  expect(await adoptContainers(desk.services, adopter, 10)).toEqual([])
  expect(await handOver(desk.services, worker.id)).toBe(0)
  const { task_number: _, ...same } = container
  const adopted = await adoptContainers(desk.services, adopter, 10)
  expect(adopted).toEqual([{ ...same, is_started: true }])
  expect(adopted[0]?.request).toMatchObject({ kind: 'image', name: 'team/report', env: { A: 'b' } })
  expect(await hands.end(container)).toBe(false)
  expect(await takenContainers(desk.sql, worker.id, [container.handle_id])).toMatchObject([
    { is_ours: false },
  ])
  expect(await shown(run.id)).toMatchObject({ state: 'running', attempts: [{ state: 'waiting', number: 1 }] })
  await new ContainerHands(desk.services, other).end(container)
  expect(await shown(run.id)).toMatchObject({ state: 'succeeded' })
})

test('a worker that dies loses no container: the rescuer buries it, the attempt stays, and another takes it', async () => {
  const { run, container } = await started()
  desk.advance(20_000)
  const other = await PretendWorker.start(desk.services)
  expect(await rescueRuns(desk.services, true)).toMatchObject({ deadWorkers: [worker.id], lostAttempts: 0 })
  const adopted = await adoptContainers(
    desk.services,
    { workerId: other.id, executor: 'docker', held: [] },
    10,
  )
  expect(adopted.map(c => c.attempt_id)).toEqual([container.attempt_id])
  expect(await shown(run.id)).toMatchObject({ state: 'running', attempts: [{ state: 'waiting' }] })
})

test('a worker that was not told of what it began finds it again, and no other does', async () => {
  const { container } = await started()
  const other = await PretendWorker.start(desk.services)
  const mine = { workerId: worker.id, executor: 'docker' as const, held: [] as string[] }
  expect(await adoptContainers(desk.services, mine, 10)).toEqual([])
  desk.advance(21_000)
  await worker.renew()
  await other.renew()
  expect(await loseForgotten(desk.services, worker.id, [])).toBe(0)
  expect(await adoptContainers(desk.services, { ...mine, held: [container.handle_id] }, 10)).toEqual([])
  expect(await adoptContainers(desk.services, { ...mine, workerId: other.id }, 10)).toEqual([])
  expect(await adoptContainers(desk.services, mine, 10)).toHaveLength(1)
})

test('what belongs to another executor is taken only when nobody has come for it in two minutes', async () => {
  await started()
  const other = await PretendWorker.start(desk.services)
  await handOver(desk.services, worker.id)
  const adopter = { workerId: other.id, executor: 'kubernetes' as const, held: [] }
  expect(await adoptContainers(desk.services, adopter, 10)).toEqual([])
  desk.advance(121_000)
  await other.renew()
  expect(await adoptContainers(desk.services, adopter, 10)).toHaveLength(1)
})

test('a worker whose lease has run out begins no container and adopts none', async () => {
  await triggerJob(desk.ctx, await imageJob(desk))
  desk.advance(20_000)
  const tasks = await worker.fetch()
  expect(tasks).toHaveLength(1)
  expect(
    await adoptContainers(desk.services, { workerId: worker.id, executor: 'docker', held: [] }, 10),
  ).toEqual([])
  await worker.giveBack(tasks)
})

test('of many callbacks at once one decides, and a cancel at the same time leaves one outcome', async () => {
  const { run, container } = await started({ max_wait_seconds: 900 })
  await Promise.all([
    ...Array.from({ length: 20 }, (_, i) => report(container.attempt_id, `OK ${i}`)),
    cancelRun(desk.ctx, run.id).catch(() => undefined),
    hands.end(container),
  ])
  const { state, attempts } = await shown(run.id)
  expect(['succeeded', 'cancelled']).toContain(state)
  expect(attempts).toMatchObject([{ state, callback: { result: expect.stringMatching(/^OK \d/) } }])
})

test('attempts of containers are counted by class, once, with their start and how long they ran', async () => {
  const counted = async (metric: string, label: string) => {
    const [row] = await desk.sql<{ value: number }[]>`
      select value from counters where metric = ${metric} and label = ${label} and project_id = ${desk.ctx.projectId}`
    return Number(row?.value ?? 0)
  }
  const all = () =>
    Promise.all([
      counted('attempts', 'ok'),
      counted('attempts', 'container_exit'),
      counted('attempts', 'callback_timeout'),
      counted('attempts', 'cancelled'),
      counted('start_delay', '0.05'),
      counted('delivery_ms', ''),
    ])
  const before = await all()
  const exited = await started()
  desk.advance(2_000)
  await hands.end(exited.container)
  await hands.gone(exited.container)
  const reported = await started({ max_wait_seconds: 60 })
  desk.advance(3_000)
  await report(reported.container.attempt_id, 'OK')
  await hands.end(reported.container, exits(1))
  await hands.gone(reported.container)
  const broken = await started({}, { max_attempts: 1 })
  desk.advance(4_000)
  await hands.end(broken.container, exits(1))
  await hands.gone(broken.container)
  const silent = await started({ max_wait_seconds: 60 })
  desk.advance(60_000)
  await expireWaits(desk.services, 10)
  await hands.gone(silent.container)
  const cancelled = await started()
  await cancelRun(desk.ctx, cancelled.run.id)
  const after = await all()
  expect(after.map((value, i) => value - (before[i] ?? 0))).toEqual([2, 1, 1, 1, 5, 9_000])
})

test('the name of the installation is made once and kept', async () => {
  const names = await Promise.all([installationName(desk.services), installationName(desk.services)])
  expect(names[0]).toMatch(/^workly-[0-9a-f]{12}$/)
  expect(await installationName(desk.services)).toBe(names[1])
  expect(names[0]).toBe(names[1])
})
