import type { JobPut } from '@workly/core'
import fc from 'fast-check'
import type { BegunAttempt } from '../../src/attempt/begin-attempts.ts'
import { deleteJob } from '../../src/job/delete-job.ts'
import { patchJob } from '../../src/job/patch-job.ts'
import { pauseJob, resumeJob } from '../../src/job/pause-job.ts'
import { putJob } from '../../src/job/put-job.ts'
import { triggerJob } from '../../src/job/trigger-job.ts'
import { backfillJob } from '../../src/run/backfill-job.ts'
import { cancelRun } from '../../src/run/cancel-run.ts'
import { rescueRuns } from '../../src/run/rescue-runs.ts'
import { retryRun } from '../../src/run/retry-run.ts'
import { admitDue } from '../../src/schedule/admit-due.ts'
import { type Answer, broken, failing, OK } from '../pretend-worker.ts'
import { endWaits, isHeld, MAX_WAIT_MS, reportCall } from './callbacks.ts'
import { ignore, pick, step } from './command.ts'
import { adoptAll, beginImages, CONTAINER_COMMANDS, endAll, endOne, removeOne } from './containers.ts'
import { checkEnded, checkWaiting } from './ended-call.ts'
import { checkSwept } from './invariants.ts'
import { Broken, type Call, type ModelWorker, waitsForCallback } from './scene.ts'
import { isOpen, type RunRow } from './snapshot.ts'
import { failedStep } from './steps.ts'
import type { World } from './world.ts'

const NAMES = ['one', 'two', 'three'] as const
const name = fc.constantFrom(...NAMES)
const urls = ['https://a.example/', 'https://b.example/'] as const
const response = { callback: { max_wait_seconds: MAX_WAIT_MS / 1000 } }
const box = { name: 'team/box', tag: '1' }
/** One request or image, or steps that begin at one host and go on to the other; some with retries of their own, or callbacks. */
const target = fc.oneof(
  fc.constantFrom(...urls).map(url => ({ url, response: 'sync' })),
  fc.constantFrom(...urls).map(url => ({ url, response })),
  fc
    .constantFrom(null, MAX_WAIT_MS / 1000)
    .map(max_wait_seconds => ({ image: { ...box, max_wait_seconds } })),
  fc.constantFrom(null, MAX_WAIT_MS / 1000).map(max_wait_seconds => ({
    steps: [
      { id: 'load', image: { ...box, max_wait_seconds }, max_attempts: 2, min_backoff_seconds: 0 },
      { id: 'train', image: box },
      { id: 'tell', url: urls[0] },
    ],
  })),
  fc.constantFrom(urls, urls.toReversed()).map(([first = '', second = '']) => ({
    steps: [
      { id: 'load', url: first, max_attempts: 1 },
      { id: 'train', url: second, response },
      { id: 'tell', url: second, max_attempts: 2, min_backoff_seconds: 0 },
    ],
  })),
)
const settings = fc.record({
  cron: fc.constantFrom('*/1 * * * *', '*/5 * * * *'),
  target,
  overlap: fc.constantFrom('skip', 'queue', 'allow'),
  missed: fc.constantFrom('skip', 'catch_up'),
  max_attempts: fc.integer({ min: 1, max: 3 }),
  min_backoff_seconds: fc.constantFrom(0, 5),
  execute_now: fc.boolean(),
})

function becomesQueue(world: World, job: string, overlap: unknown): boolean {
  const was = world.liveJob(job)
  return was !== undefined && was.overlap !== 'queue' && overlap === 'queue'
}

const put = fc
  .tuple(name, settings)
  .map(([job, { target: what, ...rest }]) => [job, { ...rest, ...what }] as const)
  .map(([job, input]) =>
    step(`put ${job} ${JSON.stringify(input)}`, world =>
      world.step(
        `put ${job} ${input.cron} ${input.overlap}`,
        { edits: true, becomesQueue: becomesQueue(world, job, input.overlap) },
        () => putJob(world.ctx, job, input as JobPut),
      ),
    ),
  )

const edit = fc
  .tuple(
    name,
    fc.oneof(
      fc.record({ overlap: settings.map(s => s.overlap) }),
      fc.record({ max_attempts: settings.map(s => s.max_attempts) }),
      fc.record({ cron: settings.map(s => s.cron) }),
      target,
    ),
  )
  .map(([job, change]) =>
    step(`edit ${job} ${JSON.stringify(change)}`, world =>
      world.step(
        `edit ${job} ${JSON.stringify(change)}`,
        { edits: true, becomesQueue: becomesQueue(world, job, 'overlap' in change && change.overlap) },
        () => patchJob(world.ctx, job, change as JobPut).catch(ignore('not_found')),
      ),
    ),
  )

const onJob = (verb: string, hint: object, call: (world: World, job: string) => Promise<unknown>) =>
  name.map(job =>
    step(`${verb} ${job}`, world =>
      world.step(`${verb} ${job}`, hint, () => call(world, job).catch(ignore('not_found', 'job_completed'))),
    ),
  )

const trigger = onJob('trigger', { edits: true }, async (world, job) => {
  const run = await triggerJob(world.ctx, job)
  if (run.state !== 'pending') throw new Broken(`a run by hand is ${run.state}`)
})

const backfill = fc.tuple(name, fc.integer({ min: 1, max: 4 }), fc.boolean()).map(([job, minutes, all]) =>
  step(`backfill ${job} ${minutes} min ${all}`, world =>
    world.step(`backfill ${job} of ${minutes} min`, { edits: true, backfills: true }, () =>
      backfillJob(world.ctx, job, {
        from: new Date(world.clock - minutes * 60_000).toISOString(),
        to: new Date(world.clock).toISOString(),
        only_missing: !all,
      }).catch(ignore('not_found')),
    ),
  ),
)

const onRun = (
  verb: string,
  hint: 'cancelled' | 'retried',
  call: (ctx: World['ctx'], id: string) => Promise<unknown>,
  may: (world: World, run: RunRow) => boolean,
) =>
  fc.nat(40).map(n =>
    step(`${verb} #${n}`, async world => {
      const run = pick(world.reachableRuns(), n)
      if (!run) return
      const wrong = !may(world, run)
      await world.step(`${verb} ${run.id} (${run.state})`, { [hint]: run.id }, async () => {
        const done = await call(world.ctx, run.id).then(
          () => true,
          error => ignore('run_finished', 'run_not_finished', 'invalid_request')(error),
        )
        if (done === wrong)
          throw new Broken(`${verb} of a ${run.state} run ${done ? 'was done' : 'was refused'}`)
      })
    }),
  )

/** Goes on at the step that failed: the ones before it stay as they are. */
const retryFromFailed = onRun(
  'retry from failed',
  'retried',
  async (ctx, id) => {
    const run = await retryRun(ctx, id, { from_step: 'failed' })
    const first = run.steps.findIndex(s => s.state !== 'succeeded')
    if (run.steps[first]?.state !== 'pending') throw new Broken('a failed step is not to be run again')
    return run
  },
  (world, run) => !isOpen(run) && failedStep(world.last, run) !== undefined,
)

const workerNumber = fc.nat(1)
const fetch = fc.tuple(workerNumber, fc.integer({ min: 1, max: 3 })).map(([w, n]) =>
  step(`worker ${w} fetches ${n}`, async world => {
    const worker = pick(world.workers, w)
    if (!worker) return
    await world.step(`worker ${w} fetches ${n}`, {}, async () => {
      worker.tasks.push(...(await worker.hands.fetch(n)))
    })
  }),
)

function noteCalls(world: World, worker: ModelWorker, begun: BegunAttempt[]): void {
  for (const attempt of begun) {
    const call: Call = { ...attempt, worker, outcome: null, reported: null }
    worker.calling.push(call)
    world.calls.set(attempt.attempt_id, call)
  }
}

async function beginCalls(world: World, w: number): Promise<void> {
  const worker = pick(world.workers, w)
  if (!worker) return
  await world.step(`worker ${w} fetches and begins`, {}, async () => {
    const tasks = [...worker.tasks.splice(0), ...(await worker.hands.fetch(3))]
    if (tasks.length === 0) return
    const begun = await worker.hands.begin(tasks)
    noteCalls(world, worker, begun)
    const images = await beginImages(
      world,
      worker,
      tasks.filter(t => !begun.some(b => b.run_id === t.runId)),
    )
    const runs = new Set(begun.map(b => b.run_id))
    if (images.some(run => runs.has(run))) throw new Broken('a task began twice')
    await worker.hands.complete(tasks.filter(t => !runs.has(t.runId)))
  })
}

const begin = workerNumber.map(w => step(`worker ${w} begins`, world => beginCalls(world, w)))

/** Everything that can go on does, answered alike. */
const drain = fc.constantFrom(0, 2, 3).map(answer =>
  step(`all are answered ${ANSWERS[answer]?.[0]}`, async world => {
    for (let round = 0; round < 6; round++) {
      await beginCalls(world, 0)
      const calling = world.workers.reduce((n, worker) => n + worker.calling.length, 0)
      for (let i = 0; i < calling; i++) await finishCall(world, world.workers, 0, answer)
      const ended = await endAll(world, answer === 0 ? 0 : answer - 1)
      if (calling + ended === 0) return
    }
  }),
)

const ANSWERS: readonly (readonly [string, Answer])[] = [
  ['ok', OK],
  ['ok', OK],
  ['500', failing(500)],
  ['404', failing(404)],
  ['429 asking for 40 s', failing(429, { retryAfterMs: 40_000 })],
  ['timeout', broken('timeout')],
]

/** Ends a call; the job's present settings and the run as it stands say what must become of it. */
async function finishCall(world: World, from: World['workers'], n: number, answer: number): Promise<void> {
  const calls = from.flatMap(worker => worker.calling)
  const call = pick(calls, n)
  const [told, what] = ANSWERS[answer] ?? ['ok', OK]
  if (!call) return
  const before = world.last
  const held = isHeld(before, call)
  const now = await world.step(`attempt ${call.number} of ${call.run_id} answers ${told}`, {}, async () => {
    const refused = await call.worker.hands.finish([call], what)
    call.outcome = refused.length > 0 ? 'refused' : what === OK ? 'accepted ok' : 'accepted failure'
    call.worker.calling = call.worker.calling.filter(other => other !== call)
  })
  if (held === (call.outcome === 'refused')) throw new Broken(`a result was ${call.outcome}, held: ${held}`)
  if (!held) return
  if (what === OK && waitsForCallback(call)) checkWaiting(world, now, call)
  else checkEnded(world, before, now, call, { ...what, isOk: what === OK, isRetried: what.status !== 404 })
}

const finish = fc
  .tuple(fc.nat(7), fc.nat(ANSWERS.length - 1))
  .map(([n, a]) =>
    step(`call ${n} answers ${ANSWERS[a]?.[0]}`, world => finishCall(world, world.workers, n, a)),
  )

const finishOfTheDead = fc
  .tuple(fc.nat(7), fc.nat(ANSWERS.length - 1))
  .map(([n, a]) => step(`dead call ${n} answers`, world => finishCall(world, world.dead, n, a)))

async function killWorker(world: World, w: number): Promise<void> {
  const worker = pick(world.workers, w)
  if (!worker) return
  await world.step(`worker ${w} dies`, {}, async () => {
    world.dead.push(worker)
    world.workers[w] = await world.newWorker()
  })
}

const die = workerNumber.map(w => step(`worker ${w} dies`, world => killWorker(world, w)))

/** A worker dies in the midst of its calls, and is taken over: thrice in a row this ends a run. */
const crash = workerNumber.map(w =>
  step(`worker ${w} crashes`, async world => {
    await beginCalls(world, w)
    await killWorker(world, w)
    await passTime(world, 16_000)
    await sweep(world, true)
    await adoptAll(world, w)
  }),
)

/** A container fails, and all that could begin then does: not its own next attempt before it is gone. */
const failAndGoOn = fc.tuple(fc.nat(7), workerNumber).map(([n, w]) =>
  step(`container ${n} fails, and worker ${w} goes on`, async world => {
    await endOne(world, n, 1)
    await passTime(world, 5_000)
    await sweep(world, false)
    await beginCalls(world, w)
    await removeOne(world, n)
    await beginCalls(world, w)
  }),
)

const stop = workerNumber.map(w =>
  step(`worker ${w} stops`, async world => {
    const worker = pick(world.workers, w)
    if (!worker) return
    const cut = worker.calling.filter(call => isHeld(world.last, call))
    await world.step(`worker ${w} stops`, {}, async () => {
      await worker.hands.giveBack(worker.tasks.splice(0))
      const lost = await worker.hands.stop()
      if (lost !== cut.length) throw new Broken(`${lost} calls were handed over, not ${cut.length}`)
      world.dead.push(worker)
      world.workers[w] = await world.newWorker()
    })
  }),
)

const tick = fc.constant(
  step('tick', world =>
    world.step('tick', {}, async () => {
      await world.desk.tick()
      await admitDue(world.desk.services)
    }),
  ),
)

/** The tick of a worker that begins what it claims, as far as it has room. */
const tickInHand = fc.tuple(workerNumber, fc.integer({ min: 1, max: 3 })).map(([w, room]) =>
  step(`tick of worker ${w} with room for ${room}`, async world => {
    const worker = pick(world.workers, w)
    if (!worker) return
    await world.step(`tick of worker ${w} with room for ${room}`, {}, async () => {
      const { begun } = await worker.hands.claim(room)
      if (begun.length > room) throw new Broken(`${begun.length} calls were begun with room for ${room}`)
      noteCalls(world, worker, begun)
    })
  }),
)

const report = fc
  .tuple(fc.nat(12), fc.constantFrom('OK', 'done', 'ERROR', 'timeout'))
  .map(([n, result]) => step(`callback ${n} says ${result}`, world => reportCall(world, n, result)))

const expire = fc.constant(step('waits run out', endWaits))

async function sweep(world: World, mayBury: boolean): Promise<void> {
  const now = await world.step(`rescue${mayBury ? '' : ' without burying'}`, {}, async () => {
    await rescueRuns(world.desk.services, mayBury)
    world.swept()
  })
  checkSwept(world, now, mayBury)
}

const rescue = fc.boolean().map(mayBury => step(`rescue ${mayBury}`, world => sweep(world, mayBury)))

/** Those that live renew their leases meanwhile. */
async function passTime(world: World, ms: number): Promise<void> {
  await world.step(`${ms / 1000} s pass`, {}, async () => {
    world.desk.advance(ms)
    for (const worker of world.workers) await worker.hands.renew()
  })
}

const jump = fc
  .constantFrom(1, 1_000, 5_000, 5_000, 20_000, 20_000, 60_000, 61_000, 400_000)
  .map(ms => step(`${ms / 1000} s pass`, world => passTime(world, ms)))

const loseTasks = fc.constant(
  step('tasks get lost', world =>
    world.step('tasks get lost', {}, async () => {
      world.lostTasks = true
      await world.desk.sql`delete from graphile_worker._private_jobs where locked_by is null`
    }),
  ),
)

const bound = fc
  .tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 3 }))
  .map(([total, perHost]) =>
    step(`bounds ${total}/${perHost}`, world =>
      world.step(`bounds ${total}/${perHost}`, {}, () => world.setBounds(total, perHost)),
    ),
  )

const often = <T>(times: number, arb: T): T[] => Array.from({ length: times }, () => arb)

/** Every command, the usual ones more often. */
export const COMMANDS = [
  put,
  edit,
  edit,
  onJob('pause', { edits: true }, (world, job) => pauseJob(world.ctx, job)),
  onJob('resume', {}, (world, job) => resumeJob(world.ctx, job)),
  onJob('delete', { deletes: true }, (world, job) => deleteJob(world.ctx, job)),
  ...often(2, trigger),
  backfill,
  onRun('cancel', 'cancelled', cancelRun, (_, run) => isOpen(run)),
  ...often(
    2,
    onRun('retry', 'retried', retryRun, (_, run) => !isOpen(run)),
  ),
  ...often(2, retryFromFailed),
  fetch,
  ...often(4, begin),
  ...often(6, finish),
  ...often(2, drain),
  ...often(2, report),
  expire,
  ...often(2, CONTAINER_COMMANDS).flat(),
  ...often(2, failAndGoOn),
  finishOfTheDead,
  die,
  crash,
  stop,
  ...often(3, tick),
  ...often(4, tickInHand),
  ...often(2, rescue),
  ...often(5, jump),
  loseTasks,
  bound,
]
