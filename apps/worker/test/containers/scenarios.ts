import type { Image, JobPut, Run } from '@workly/core'
import { TestReceiver } from '@workly/delivery/testing'
import { BOX, type Harness } from '@workly/delivery/testing/containers'
import { cancelRun, getRun, putJob, type Services, triggerJob, untilGone } from '@workly/services'
import pino from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { ImageRunner } from '../../src/containers/image-runner.ts'
import { sweepLeaked } from '../../src/containers/leaked-containers.ts'
import type { RunningWorker } from '../../src/worker.ts'
import { openWorkshop, type Workshop } from '../workshop.ts'
import { type CallbackDoor, openCallbackDoor } from './callback-door.ts'
import { startWorkerChild } from './worker-child.ts'

/** A worker's own containers: other test files use the same engine. */
const INSTALLATION = 'of-the-worker'
const LONG = { timeout: 90_000 }
const never = new AbortController().signal

/** Reports by the callback, with busybox. */
const report = (result: string) =>
  `wget -qO- --header "Content-Type: application/json" --post-data '{"result":"${result}"}' $callbackUri`
/** Says in `/data` that it has begun, and goes on until it is let go. */
const waits = (name: string) =>
  `echo x >> /data/${name}.begun; i=0; while [ ! -e /data/${name}.go ] && [ $i -lt 600 ]; do sleep 0.1; i=$((i+1)); done`

/** What holds of images run by workers, whatever the executor: told by real containers. */
export function describeWorkers(title: string, open: () => Promise<Harness>): void {
  describe(`workers with images on ${title}`, () => {
    let harness: Harness
    let shop: Workshop
    let door: CallbackDoor
    let target: TestReceiver
    let images: ImageRunner
    let workers: RunningWorker[] = []
    let names = 0

    beforeAll(async () => {
      harness = await open()
      shop = await openWorkshop()
      door = await openCallbackDoor(shop.services)
      target = await TestReceiver.start()
      images = { executor: harness.executor({ installation: INSTALLATION }), kind: harness.kind }
    })
    afterEach(async () => {
      await Promise.all(workers.splice(0).map(worker => worker.stop()))
    })
    afterAll(async () => {
      await images?.executor.close()
      await target?.close()
      await door?.close()
      await shop?.close()
      await harness?.close()
    })

    async function work(): Promise<RunningWorker> {
      const worker = await shop.startWorker({ images, publicUrl: door.url })
      workers.push(worker)
      return worker
    }

    async function stop(worker: RunningWorker): Promise<void> {
      workers = workers.filter(other => other !== worker)
      await worker.stop()
    }

    const script = (text: string, more: Partial<Image> = {}): Image => ({
      ...BOX,
      command: ['sh', '-c', text],
      timeout_seconds: 60,
      ...more,
    })

    async function start(
      text: string,
      more: Partial<Image> = {},
      settings: Partial<JobPut> = {},
    ): Promise<Run> {
      const name = `image-${++names}`
      const what = settings.steps ? {} : { image: script(text, more) }
      await putJob(shop.ctx, name, { cron: '0 0 1 1 *', max_attempts: 1, ...what, ...settings })
      return triggerJob(shop.ctx, name)
    }

    const refOf = (run: Run) => {
      const attemptId = run.attempts.at(-1)?.id ?? ''
      return images.executor.refFor({ organizationId: shop.ctx.organizationId, attemptId })
    }

    const inData = async (text: string): Promise<string> => {
      const run = await start(text)
      const ended = await shop.runIn(run.id, 'succeeded', 'failed')
      return ended.attempts[0]?.container?.log ?? ''
    }

    /** Resolves when a container that waits has begun. */
    const begun = (name: string) => inData(`until [ -e /data/${name}.begun ]; do sleep 0.1; done`)
    const letGo = (name: string) => inData(`touch /data/${name}.go; cat /data/${name}.begun`)

    it(
      'a container that exits with 0 succeeds its run, with its masked log, and is removed',
      LONG,
      async () => {
        await work()
        const run = await start('echo "$LEVEL $PASSWORD $callbackUri"', {
          env: { LEVEL: 'debug', PASSWORD: { secret: 'hunter22' } },
        })
        const ended = await shop.runIn(run.id, 'succeeded')
        const [attempt] = ended.attempts
        expect(attempt).toMatchObject({
          state: 'succeeded',
          container: { exit_code: 0, log: `debug •••• ${door.url}/v1/callbacks/${attempt?.id}/••••\n` },
        })
        expect(await untilGone(shop.ctx, run.id)).toBe(true)
        expect(await harness.exists(refOf(ended))).toBe(false)
      },
    )

    it('a log of what is no text is kept, masked before it is cut, and marked when it is', LONG, async () => {
      await work()
      const env = { PASSWORD: { secret: 'hunter22' } }
      const line = 'printf "\\377\\000 $PASSWORD xxxxxxxx\\n"'
      const short = await start(line, { env })
      const long = await start(`i=0; while [ $i -lt 6000 ]; do ${line}; i=$((i+1)); done`, { env })
      const masked = '\ufffd\ufffd •••• xxxxxxxx\n'
      expect((await shop.runIn(short.id, 'succeeded')).attempts).toMatchObject([
        { container: { log: masked, log_truncated: false } },
      ])
      const [attempt] = (await shop.runIn(long.id, 'succeeded')).attempts
      const log = attempt?.container?.log ?? ''
      expect(attempt).toMatchObject({ container: { log_truncated: true } })
      expect(Buffer.byteLength(log)).toBeLessThanOrEqual(65_536)
      expect(Buffer.byteLength(log)).toBeGreaterThan(65_536 - Buffer.byteLength(masked))
      expect(log.endsWith(masked.repeat(100))).toBe(true)
      expect(log).not.toMatch(/hunt|er22/)
    })

    it('another exit code fails it as container_exit and is told', LONG, async () => {
      await work()
      const ended = await shop.runIn((await start('echo no luck; exit 3')).id, 'failed')
      expect(ended).toMatchObject({
        error: { class: 'container_exit', message: 'The container exited with code 3.' },
        attempts: [{ container: { exit_code: 3, log: 'no luck\n' } }],
      })
    })

    it(
      'an image that is not there fails as image_pull, a secret that is missing as container_config',
      LONG,
      async () => {
        await work()
        const absent = await start('true', { name: 'team/absent' })
        const secretless = await start('true', { env_from: [{ secret: 'db-login' }] })
        expect(await shop.runIn(absent.id, 'failed')).toMatchObject({
          error: { class: 'image_pull', message: expect.stringContaining('team/absent') },
        })
        expect(await shop.runIn(secretless.id, 'failed')).toMatchObject({
          error: { class: 'container_config', message: expect.stringContaining('db-login') },
          attempts: [{ container: null }],
        })
        expect(await untilGone(shop.ctx, absent.id)).toBe(true)
      },
    )

    it('a container that passes its deadline fails as timeout and is removed', LONG, async () => {
      await work()
      const run = await start('trap "exit 0" TERM; sleep 60 & wait', { timeout_seconds: 2 })
      const ended = await shop.runIn(run.id, 'failed')
      expect(ended.error).toMatchObject({ class: 'timeout' })
      expect(await untilGone(shop.ctx, run.id)).toBe(true)
      expect(await harness.exists(refOf(ended))).toBe(false)
    })

    it(
      'a callback ends the run at once; the container is left to its exit, and then removed',
      LONG,
      async () => {
        await work()
        const run = await start(`${report('OK')}; ${waits('reported')}; exit 5`, { max_wait_seconds: 60 })
        const ended = await shop.runIn(run.id, 'succeeded')
        expect(ended.attempts).toMatchObject([
          { state: 'succeeded', callback: { result: 'OK' }, container: null },
        ])
        expect(await harness.exists(refOf(ended))).toBe(true)
        await letGo('reported')
        expect(await untilGone(shop.ctx, run.id)).toBe(true)
        expect(await getRun(shop.ctx, run.id)).toMatchObject({
          state: 'succeeded',
          attempts: [{ container: { exit_code: 5 } }],
        })
      },
    )

    it('a container that reports ERROR fails as callback_failed', LONG, async () => {
      await work()
      const run = await start(report('ERROR'), { max_wait_seconds: 60 })
      expect(await shop.runIn(run.id, 'failed')).toMatchObject({ error: { class: 'callback_failed' } })
      expect(await untilGone(shop.ctx, run.id)).toBe(true)
    })

    it('a cancel answers when the container is gone', LONG, async () => {
      await work()
      const run = await start(`trap "exit 0" TERM; ${waits('cancelled')} & wait`)
      await begun('cancelled')
      const { run: cancelled, isGone } = await cancelRun(shop.ctx, run.id)
      expect(isGone).toBe(false)
      expect(await untilGone(shop.ctx, run.id)).toBe(true)
      expect(await harness.exists(refOf(cancelled))).toBe(false)
      expect(await getRun(shop.ctx, run.id)).toMatchObject({ state: 'cancelled' })
    })

    it(
      'a worker that stops hands its container over; the next adopts it and starts nothing',
      LONG,
      async () => {
        const first = await work()
        const run = await start(waits('handed'))
        await begun('handed')
        await stop(first)
        await work()
        expect(await letGo('handed')).toBe('x\n')
        const ended = await shop.runIn(run.id, 'succeeded')
        expect(ended.attempts).toHaveLength(1)
      },
    )

    it(
      'a worker that is killed loses no container: another takes it over, and it runs once; a cancel is carried out',
      LONG,
      async () => {
        const child = await startWorkerChild({
          ...(await harness.environment()),
          DATABASE_URL: shop.test.url,
          WORKLY_ENCRYPTION_KEYS: shop.test.encryptionKeys,
          WORKLY_PUBLIC_URL: door.url,
          WORKLY_INSTALLATION: INSTALLATION,
          WORKLY_LOG_LEVEL: 'silent',
        })
        try {
          const run = await start(waits('killed'))
          const doomed = await start(`trap "exit 0" TERM; ${waits('doomed')} & wait`)
          await begun('killed')
          await begun('doomed')
          await child.kill()
          const { run: cancelled } = await cancelRun(shop.ctx, doomed.id)
          expect(await harness.exists(refOf(cancelled))).toBe(true)
          await work()
          expect(await untilGone(shop.ctx, doomed.id)).toBe(true)
          expect(await harness.exists(refOf(cancelled))).toBe(false)
          expect(await letGo('killed')).toBe('x\n')
          const ended = await shop.runIn(run.id, 'succeeded')
          expect(ended.attempts).toMatchObject([{ number: 1, state: 'succeeded' }])
        } finally {
          await child.kill()
        }
      },
    )

    it('a cluster or engine that is away for a while fails no attempt', LONG, async () => {
      await work()
      const run = await start(waits('away'))
      await begun('away')
      await harness.away()
      const late = await start('true')
      await shop.runWhere(late.id, ({ attempts }) => attempts.length === 1)
      await harness.back()
      await letGo('away')
      expect((await shop.runIn(run.id, 'succeeded')).attempts).toHaveLength(1)
      expect((await shop.runIn(late.id, 'succeeded')).attempts).toHaveLength(1)
    })

    it(
      'one that is away for longer fails the attempt as executor, says what to do, and is cleared up when it is back',
      LONG,
      async () => {
        const executor = harness.executor({ installation: INSTALLATION, patienceMs: 1000 })
        const impatient = await shop.startWorker({
          images: { executor, kind: harness.kind },
          publicUrl: door.url,
        })
        const run = await start(`trap "exit 0" TERM; ${waits('abandoned')} & wait`)
        await begun('abandoned')
        await harness.away()
        const late = await start('true')
        for (const { id } of [run, late]) {
          expect(await shop.runIn(id, 'failed')).toMatchObject({
            error: {
              class: 'executor',
              message: expect.stringMatching(/could not be reached.*Check that .*leads to it\.$/),
            },
          })
        }
        const ref = refOf(await getRun(shop.ctx, run.id))
        expect(await harness.exists(ref)).toBe(true)
        await harness.back()
        for (const { id } of [run, late]) expect(await untilGone(shop.ctx, id)).toBe(true)
        expect(await harness.exists(ref)).toBe(false)
        await impatient.stop()
        await executor.close()
      },
    )

    it('a container that nobody expects is removed, one that is expected is not', LONG, async () => {
      await work()
      const run = await start(waits('expected'))
      await begun('expected')
      const { organizationId } = shop.ctx
      const attemptId = 'att_00000000000000000000000000'
      const spec = { organizationId, attemptId, runId: 'run_00000000000000000000000000', stepId: null }
      const { ref } = await images.executor.start(
        {
          ...spec,
          ...BOX,
          command: ['true'],
          env: {},
          envFrom: [],
          timeoutSeconds: 60,
          callbackUri: door.url,
        },
        never,
      )
      expect(await harness.exists(ref)).toBe(true)
      const parts = { ...images, services: shop.services satisfies Services, log: pino({ level: 'silent' }) }
      const nowMs = () => Date.now() + 3_600_000
      expect(await sweepLeaked({ ...parts, nowMs }, never)).toBe(1)
      expect(await harness.exists(ref)).toBe(false)
      await letGo('expected')
      await shop.runIn(run.id, 'succeeded')
    })

    it('a pipeline hands over from image to request to image that reports', LONG, async () => {
      await work()
      const run = await start(
        '',
        {},
        {
          steps: [
            { id: 'export', image: script('echo exported > /data/export') },
            { id: 'tell', url: target.url('/tell') },
            { id: 'train', image: script(`cat /data/export; ${report('done')}`, { max_wait_seconds: 60 }) },
          ],
        },
      )
      const ended = await shop.runIn(run.id, 'succeeded', 'failed')
      expect(ended.steps).toMatchObject([
        { id: 'export', state: 'succeeded' },
        { id: 'tell', state: 'succeeded' },
        { id: 'train', state: 'succeeded', result: 'done' },
      ])
      expect(await untilGone(shop.ctx, run.id)).toBe(true)
      const { attempts } = await getRun(shop.ctx, run.id)
      expect(attempts.at(-1)?.container).toMatchObject({ exit_code: 0, log: 'exported\n' })
    })
  })
}
