import type { Image, JobPut, Run } from '@workly/core'
import { BOX, dockerHarness, type Harness } from '@workly/delivery/testing/containers'
import { cancelRun, deleteJob, getRun, putJob, triggerJob, untilGone } from '@workly/services'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { ImageRunner } from '../../src/containers/image-runner.ts'
import type { RunningWorker } from '../../src/worker.ts'
import { openWorkshop, type Workshop } from '../workshop.ts'
import { startWorkerChild } from './worker-child.ts'

const INSTALLATION = 'under-attack'
const LONG = { timeout: 120_000 }
/** The first process of a container has no SIGTERM by default. */
const TERMINABLE = 'trap "exit 0" TERM;'
const never = new AbortController().signal

describe('containers on Docker that do what they should not', () => {
  let harness: Harness
  let shop: Workshop
  let images: ImageRunner
  const workers: RunningWorker[] = []
  let names = 0

  beforeAll(async () => {
    harness = await dockerHarness()
    shop = await openWorkshop()
    images = { executor: harness.executor({ installation: INSTALLATION }), kind: 'docker' }
  })
  afterEach(async () => {
    await Promise.all(workers.splice(0).map(worker => worker.stop()))
  })
  afterAll(async () => {
    await images?.executor.close()
    await shop?.close()
    await harness?.close()
  })

  async function work(): Promise<RunningWorker> {
    const worker = await shop.startWorker({ images })
    workers.push(worker)
    return worker
  }

  async function start(
    text: string,
    more: Partial<Image> = {},
    settings: Partial<JobPut> = {},
  ): Promise<{ job: string; run: Run }> {
    const job = `attack-${++names}`
    const image = { ...BOX, command: ['sh', '-c', text], timeout_seconds: 60, ...more }
    await putJob(shop.ctx, job, { cron: '0 0 1 1 *', max_attempts: 1, image, ...settings })
    return { job, run: await triggerJob(shop.ctx, job) }
  }

  const refOf = (run: Run) =>
    images.executor.refFor({
      organizationId: shop.ctx.organizationId,
      attemptId: run.attempts.at(-1)?.id ?? '',
    })
  const attempted = (id: string) => shop.runWhere(id, ({ attempts }) => attempts.length > 0)
  /** Attempts whose containers the engine has. */
  const there = async () => (await images.executor.list(never)).map(({ attemptId }) => attemptId)
  const inData = async (text: string): Promise<string> => {
    const { run } = await start(text)
    const ended = await shop.runIn(run.id, 'succeeded', 'failed')
    return ended.attempts[0]?.container?.log ?? ''
  }
  const begun = (name: string) => inData(`until [ -e /data/${name} ]; do sleep 0.1; done`)

  it('one that is deaf to SIGTERM, and whose children are too, is killed by a cancel', LONG, async () => {
    await work()
    const deaf = 'trap "" TERM INT HUP; '
    const { run } = await start(
      `${deaf}(${deaf}while :; do sleep 1; done) & (sleep 0 &); echo x > /data/deaf; while :; do sleep 1; done`,
    )
    await begun('deaf')
    await cancelRun(shop.ctx, run.id)
    expect(await untilGone(shop.ctx, run.id)).toBe(true)
    const ended = await getRun(shop.ctx, run.id)
    expect(ended).toMatchObject({ state: 'cancelled', attempts: [{ state: 'cancelled' }] })
    expect(await harness.exists(refOf(ended))).toBe(false)
  })

  it(
    'children that go on when the first process exits neither keep it open nor outlive it',
    LONG,
    async () => {
      await work()
      const { run } = await start('(trap "" TERM HUP; while :; do echo child; sleep 0.2; done) & exit 0')
      const ended = await shop.runIn(run.id, 'succeeded', 'failed')
      expect(ended.state).toBe('succeeded')
      expect(await untilGone(shop.ctx, run.id)).toBe(true)
      expect(await harness.exists(refOf(ended))).toBe(false)
    },
  )

  it(
    'of exits and cancels at the same time each run has one outcome, and no container is left',
    LONG,
    async () => {
      await work()
      const runs: Run[] = []
      for (let n = 0; n < 20; n++)
        runs.push(
          (await start(`${TERMINABLE} echo x >> /data/racers; while [ ! -e /data/race ]; do sleep 0.1; done`))
            .run,
        )
      await inData('until [ $(wc -l < /data/racers) -ge 20 ]; do sleep 0.2; done')
      // The cancels take about as long as the container that lets the others exit.
      const gun = inData('touch /data/race')
      for (const { id } of runs) {
        await cancelRun(shop.ctx, id).catch(error => expect(error).toMatchObject({ code: 'run_finished' }))
      }
      await gun
      for (const { id } of runs) {
        const ended = await shop.runIn(id, 'succeeded', 'cancelled', 'failed')
        expect(ended.attempts).toMatchObject([{ state: ended.state }])
        expect(ended.state).not.toBe('failed')
        expect(await untilGone(shop.ctx, id)).toBe(true)
      }
      const ended = await Promise.all(runs.map(({ id }) => getRun(shop.ctx, id)))
      const ids = ended.map(run => run.attempts[0]?.id)
      expect((await there()).filter(id => ids.includes(id))).toEqual([])
    },
  )

  it('jobs deleted while their containers are made or run leave none behind', LONG, async () => {
    await work()
    const deleted: string[] = []
    for (let n = 0; n < 20; n++) {
      const { job, run } = await start(`${TERMINABLE} sleep 30 & wait`)
      const { attempts } = await attempted(run.id)
      // Most are being made, some run by then.
      if (n % 4 === 3) await inData('true')
      await deleteJob(shop.ctx, job)
      deleted.push(attempts[0]?.id ?? '')
      expect(await untilGone(shop.ctx, run.id)).toBe(true)
    }
    expect((await there()).filter(id => deleted.includes(id))).toEqual([])
  })

  it(
    'one that is removed by hand, before its start is known and after, fails as evicted and goes on',
    LONG,
    async () => {
      await work()
      const { run } = await start(
        '[ -e /data/twice ] && exit 0; touch /data/twice; echo x > /data/by-hand; sleep 50',
        {},
        { max_attempts: 2, min_backoff_seconds: 0 },
      )
      await begun('by-hand')
      await harness.removeFromOutside(refOf(await getRun(shop.ctx, run.id)))
      const ended = await shop.runIn(run.id, 'succeeded', 'failed')
      expect(ended.attempts).toMatchObject([
        { state: 'failed', error: { class: 'evicted' } },
        { state: 'succeeded', container: { exit_code: 0 } },
      ])
      for (let n = 0; n < 3; n++) {
        const { run: early } = await start('sleep 50')
        const ref = refOf(await attempted(early.id))
        // One that was made and not started yet is made again; what has begun is not.
        let isOver = false
        const ending = shop.runIn(early.id, 'failed', 'succeeded').finally(() => {
          isOver = true
        })
        while (!isOver) {
          await harness.removeFromOutside(ref).catch(() => undefined)
          await new Promise(resolve => setTimeout(resolve, 300))
        }
        const over = await ending
        expect(over.attempts).toMatchObject([{ state: 'failed', container: null }])
        expect(over.error?.class).toBe('evicted')
        expect(await untilGone(shop.ctx, early.id)).toBe(true)
      }
    },
  )

  it(
    'a hundred megabytes of log, binary and all, are cut to their last 64 KiB, secrets masked',
    LONG,
    async () => {
      await work()
      const { run } = await start(
        'head -c 100000000 /dev/urandom; i=0; while [ $i -lt 4000 ]; do echo "$TOKEN-$i"; i=$((i+1)); done; exit 0',
        { env: { TOKEN: { secret: 'secret-across-the-cut-0123456789' } } },
      )
      const ended = await shop.runIn(run.id, 'succeeded', 'failed')
      expect(ended.state).toBe('succeeded')
      const { container } = ended.attempts[0] ?? {}
      expect(container?.log_truncated).toBe(true)
      expect(Buffer.byteLength(container?.log ?? '')).toBeLessThanOrEqual(64 * 1024)
      expect(container?.log?.endsWith('••••-3999\n')).toBe(true)
      for (const piece of ['secret', 'across', 'the-cut', '0123456789'])
        expect(container?.log).not.toContain(piece)
    },
  )

  it(
    'a worker killed at any moment, again and again, starts nothing twice and loses no outcome',
    LONG,
    async () => {
      const environment = {
        ...(await harness.environment()),
        DATABASE_URL: shop.test.url,
        WORKLY_ENCRYPTION_KEYS: shop.test.encryptionKeys,
        WORKLY_PUBLIC_URL: 'http://workly.test',
        WORKLY_INSTALLATION: INSTALLATION,
        WORKLY_LOG_LEVEL: 'silent',
      }
      const runs: Run[] = []
      // Between its handle, its start, the word of it, its outcome and its removal lie some tenths of a second each.
      for (const afterMs of [150, 400, 800, 1_500]) {
        const child = await startWorkerChild(environment)
        for (let n = 0; n < 5; n++) {
          const { run } = await start(`echo $ONE >> /data/killed; sleep 0.${n}`, {
            env: { ONE: `r${runs.length}` },
          })
          runs.push(run)
        }
        await new Promise(resolve => setTimeout(resolve, afterMs))
        await child.kill()
      }
      await work()
      for (const { id } of runs) {
        const ended = await shop.runIn(id, 'succeeded', 'failed')
        expect(ended).toMatchObject({ state: 'succeeded', attempts: [{ number: 1, state: 'succeeded' }] })
        expect(ended.attempts).toHaveLength(1)
        expect(await untilGone(shop.ctx, id)).toBe(true)
      }
      const said = (await inData('cat /data/killed')).trim().split('\n').toSorted()
      expect(said).toEqual(runs.map((_, n) => `r${n}`).toSorted())
    },
  )
})
