import { readFileSync } from 'node:fs'
import { pino } from 'pino'
import { compose } from './compose.ts'
import { openImages } from './containers/image-runner.ts'
import { readWorkerEnv, type WorkerEnvironment } from './env.ts'
import { giveBackMemory } from './give-back-memory.ts'
import { type RunningWorker, startWorker } from './worker.ts'

/** The worker as a process of its own: started by hand or by a supervisor, stopped by SIGTERM or SIGINT. */

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string
}

function readEnv(): WorkerEnvironment {
  try {
    return readWorkerEnv()
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exit(2)
  }
}

const env = readEnv()
const log = pino({ level: env.logLevel, base: { app: 'worker' } })
const { services, openSocket, end } = compose(env)
const images = await openImages(env.images, services).catch(giveUp)
const options = {
  images,
  services,
  databaseUrl: env.databaseUrl,
  openSocket,
  concurrency: env.concurrency,
  shutdownGraceMs: env.shutdownGraceMs,
  retention: env.retention,
  publicUrl: env.publicUrl,
  version,
  log,
}

function giveUp(error: unknown): never {
  log.fatal({ err: error }, 'the worker cannot go on')
  process.exit(1)
}

let stopping = false
let stopNow: () => void = () => undefined
const stopped = new Promise<'stop'>(resolve => {
  stopNow = () => resolve('stop')
})
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    // A second signal does not wait.
    if (stopping) process.exit(1)
    stopping = true
    log.info({ signal, grace_ms: env.shutdownGraceMs }, 'stopping')
    stopNow()
  })
}

// Started by a supervisor that is gone: nobody would stop this process any more.
process.on('disconnect', () => {
  stopping = true
  stopNow()
})

/** Runs workers one after the other: one that was taken for dead is followed by another under a new id. */
async function work(): Promise<void> {
  for (;;) {
    const worker: RunningWorker = await startWorker(options)
    // The supervisor that started this process hears that tasks are taken from now on.
    process.send?.({ ready: worker.id })
    const why = await Promise.race([stopped, worker.lost.then(() => 'lost' as const)])
    if (why === 'lost') log.error({ worker: worker.id }, 'this worker was taken for dead; it starts again')
    await worker.stop()
    if (why === 'stop') return
  }
}

giveBackMemory()
try {
  await work()
  await images.executor.close()
  await end()
} catch (error) {
  giveUp(error)
}
process.exit(0)
