import type { Image, JobPut, Run } from '@workly/core'
import type { ImageSpec } from '@workly/delivery'
import { putJob, triggerJob, untilGone } from '@workly/services'
import type { ImageRunner } from '../src/containers/image-runner.ts'
import type { RunningWorker } from '../src/worker.ts'
import { FakeEngine } from './fake-engine.ts'
import { openWorkshop, type Workshop } from './workshop.ts'

/** A workshop with an engine in memory, for tests of what workers do about containers. */
export class ImageBench {
  readonly shop: Workshop
  engine = new FakeEngine()
  #workers: RunningWorker[] = []
  #names = 0

  private constructor(shop: Workshop) {
    this.shop = shop
  }

  static async open(): Promise<ImageBench> {
    return new ImageBench(await openWorkshop())
  }

  /** Starts a worker that runs images on the engine, unless told otherwise. */
  async work(
    images: ImageRunner = { executor: this.engine.executor(), kind: 'docker' },
  ): Promise<RunningWorker> {
    const worker = await this.shop.startWorker({ images })
    this.#workers.push(worker)
    return worker
  }

  async stop(worker: RunningWorker): Promise<void> {
    this.#workers = this.#workers.filter(other => other !== worker)
    await worker.stop()
  }

  /** Ends what the test at hand has started; the next has an engine of its own. */
  async clear(): Promise<void> {
    await Promise.all(this.#workers.splice(0).map(worker => worker.stop()))
    this.engine = new FakeEngine()
  }

  /** Puts a job, of an image unless it has steps, and triggers it. */
  async start(settings: Partial<JobPut> = {}): Promise<{ job: string; run: Run }> {
    const job = `image-${++this.#names}`
    const what = settings.steps ? {} : { image: image() }
    await putJob(this.shop.ctx, job, { cron: '0 0 1 1 *', min_backoff_seconds: 0, ...what, ...settings })
    return { job, run: await triggerJob(this.shop.ctx, job) }
  }

  /** Resolves when a container of the run is there. */
  async specOf(runId: string): Promise<ImageSpec> {
    for (;;) {
      const found = this.engine.running.find(spec => spec.runId === runId)
      if (found) return found
      await this.engine.changed()
    }
  }

  /** Resolves when no container of the run is left. */
  gone(runId: string): Promise<boolean> {
    return untilGone(this.shop.ctx, runId)
  }
}

export const image = (more: Partial<Image> = {}): Image => ({ name: 'team/report', tag: '1.4.0', ...more })
