import { parseCidrs, type Run } from '@workly/core'
import { createSigningSecret, getRun, type ProjectContext, type Services } from '@workly/services'
import { makeTenant, openServices, type TestServices } from '@workly/services/testing'
import pino from 'pino'
import { type ImageRunner, noImages } from '../src/containers/image-runner.ts'
import { type RunningWorker, startWorker } from '../src/worker.ts'

/** A database, a tenant and workers on the real clock, for tests of whole deliveries. */
export interface Workshop {
  test: TestServices
  services: Services
  ctx: ProjectContext
  signingSecret: string
  /** Those that are not stopped by the test are stopped at the end. */
  startWorker(options?: {
    shutdownGraceMs?: number
    images?: ImageRunner
    publicUrl?: string
  }): Promise<RunningWorker>
  /** Resolves when the run's state is one of those given; fails after 50 s, saying how it stands. */
  runIn(id: string, ...states: string[]): Promise<Run>
  /** Resolves when that holds of the run. */
  runWhere(id: string, holds: (run: Run) => boolean): Promise<Run>
  close(): Promise<void>
}

export async function openWorkshop(): Promise<Workshop> {
  const test = await openServices()
  const { clock: _, ...withoutClock } = test.services
  const services: Services = {
    ...withoutClock,
    allowHttp: 'loopback',
    allowedPrivate: parseCidrs('127.0.0.0/8,::1/128'),
  }
  const tenant = await makeTenant(services)
  const ctx = tenant.as('owner')
  const { secret } = await createSigningSecret(ctx)
  const workers = new Set<RunningWorker>()
  const runWhere: Workshop['runWhere'] = async (id, holds) => {
    const until = Date.now() + 50_000
    for (;;) {
      const run = await getRun(ctx, id)
      if (holds(run)) return run
      if (Date.now() > until) throw new Error(`the run is ${run.state}: ${JSON.stringify(run)}`)
      await new Promise(resolve => setTimeout(resolve, 20))
    }
  }
  return {
    test,
    services,
    ctx,
    signingSecret: secret,
    async startWorker(options = {}) {
      const worker = await startWorker({
        services,
        databaseUrl: test.url,
        concurrency: 50,
        shutdownGraceMs: options.shutdownGraceMs ?? 5_000,
        images: options.images ?? noImages(),
        retention: { runsMs: 7 * 86_400_000, auditMs: 400 * 86_400_000 },
        version: '0.0.0-test',
        publicUrl: options.publicUrl ?? 'http://workly.test',
        log: pino({ level: process.env.WORKLY_TEST_LOG ?? 'silent' }),
      })
      workers.add(worker)
      return {
        id: worker.id,
        lost: worker.lost,
        stats: () => worker.stats(),
        stop() {
          workers.delete(worker)
          return worker.stop()
        },
      }
    },
    runIn: (id, ...states) => runWhere(id, run => states.includes(run.state)),
    runWhere,
    async close() {
      await Promise.all([...workers].map(worker => worker.stop()))
      await test.drop()
    },
  }
}
