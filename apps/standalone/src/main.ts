import { join } from 'node:path'
import { createApi, createListener, createTestCaller, isApiPath, startRescuing } from '@workly/api'
import { createConsoleHandler, setComposition } from '@workly/console'
import { EmbeddedPostgresError } from '@workly/db/embedded'
import { seedDemo } from '@workly/services'
import type { Logger } from 'pino'
import rootPackage from '../../../package.json' with { type: 'json' }
import { layGround } from './compose.ts'
import { readCredentials, readServerKeys, writeCredentials } from './credentials.ts'
import { DataDirError, explainDataDir, makeDataDir } from './data-dir.ts'
import { readStandaloneEnv, type StandaloneEnvironment, setConsoleEnvironment } from './env.ts'
import { openLog } from './log-file.ts'
import { type Handler, type OnePort, PortError, takePort } from './one-port.ts'
import { OPEN_NETWORKS } from './open-networks.ts'
import { welcomeText } from './welcome.ts'
import { WorkerProcess } from './worker-process.ts'

/** The embedded default: Postgres, API and console on one port of loopback, and a worker (spec section 14). */

const say = (text: string) => process.stdout.write(`${text}\n`)

/** One line of progress, with what it took. */
async function step<T>(what: string, work: Promise<T>): Promise<T> {
  const from = performance.now()
  const done = await work
  say(`  ${what} (${((performance.now() - from) / 1000).toFixed(1)} s)`)
  return done
}

interface Running {
  stop(): Promise<void>
}

async function start(env: StandaloneEnvironment): Promise<Running> {
  let handler: Handler | null = null
  let requestLog: Logger | null = null
  const onePort: OnePort = await takePort(
    env.port,
    () => handler,
    err => requestLog?.error({ err }, 'a request failed'),
  )
  const url = `http://localhost:${onePort.port}`
  const ends: (() => Promise<unknown>)[] = [() => onePort.close()]
  const stop = async () => {
    for (const end of ends.reverse()) await end()
  }
  try {
    await makeDataDir(env.dataDir)
    const logFile = join(env.dataDir, 'workly.log')
    const log = openLog(logFile, env.logLevel)
    requestLog = log
    const keys = await readServerKeys(env.dataDir)
    const credentials = await readCredentials(env.dataDir, url, new Date())
    const ground = await step(
      'PostgreSQL is ready',
      layGround(env.dataDir, keys.encryptionKeys, env.limits, log),
    )
    ends.push(() => ground.end())
    const { services } = ground
    const demo = await seedDemo(services, credentials)
    if (demo.signingSecret !== null) {
      credentials.signingSecret = demo.signingSecret
      await writeCredentials(env.dataDir, url, credentials)
    }
    const worker = new WorkerProcess(
      {
        ...env.all,
        DATABASE_URL: ground.databaseUrl,
        WORKLY_ENCRYPTION_KEYS: keys.encryptionKeys,
        WORKLY_PUBLIC_URL: url,
        WORKLY_ALLOW_HTTP: 'loopback',
        WORKLY_ALLOWED_PRIVATE_TARGETS: OPEN_NETWORKS,
        WORKLY_SHUTDOWN_GRACE: String(env.shutdownGraceSeconds),
      },
      logFile,
      log,
    )
    ends.push(() => worker.stop())
    ground.onMoved = databaseUrl => worker.moveTo(databaseUrl)
    setConsoleEnvironment(url, keys.authSecret)
    const testCaller = createTestCaller(services, rootPackage.version)
    ends.push(() => testCaller.close())
    setComposition({
      services,
      signInHint: `The sign-in was printed at the start, and is kept in ${join(env.dataDir, 'credentials')}.`,
      keylessProject: 'demo',
      makeCall: testCaller.makeCall,
    })
    const rescuing = startRescuing(services, log)
    ends.push(() => rescuing.stop())
    const api = createApi({
      services,
      makeCall: testCaller.makeCall,
      version: rootPackage.version,
      publicUrl: url,
      logger: log,
      demoDoor: demo,
      isTrusted: env.isTrusted,
      operatorToken: keys.operatorToken,
    })
    const [consoleHandler] = await step(
      'Console, API and worker are ready',
      Promise.all([createConsoleHandler({ dev: false }), worker.start()]),
    )
    const apiListener = createListener(api, { publicUrl: url, replaceGlobals: false })
    handler = async (request, response) => {
      const path = (request.url ?? '/').split('?', 1)[0] ?? '/'
      await (isApiPath(path) ? apiListener : consoleHandler)(request, response)
    }
    const { note } = ground
    say(welcomeText({ url, credentials, demo, dataDir: env.dataDir, openNetworks: OPEN_NETWORKS, note }))
    return { stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** What to tell of an error: one sentence where it is one of those that people meet. */
function explain(error: unknown, env: StandaloneEnvironment): string {
  const isSaid = [PortError, DataDirError, EmbeddedPostgresError].some(type => error instanceof type)
  const known = isSaid && error instanceof Error ? error : explainDataDir(error, env.dataDir)
  if (known) return known.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

function fail(error: unknown, env: StandaloneEnvironment): never {
  process.stderr.write(`${explain(error, env)}\n`)
  process.exit(1)
}

/** Stops at a signal what runs; what is still starting is stopped as soon as it runs, so that nothing is left behind. */
function stopAtSignals(starting: Promise<Running>, env: StandaloneEnvironment): void {
  let stopping = false
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (stopping) process.exit(1)
      stopping = true
      say('  Stopping: calls on their way are waited for; once more to stop at once.')
      starting
        .then(running => running.stop())
        .then(
          () => process.exit(0),
          error => fail(error, env),
        )
    })
  }
}

function readEnv(): StandaloneEnvironment {
  try {
    return readStandaloneEnv()
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exit(1)
  }
}

const env = readEnv()
try {
  const starting = start(env)
  stopAtSignals(starting, env)
  await starting
} catch (error) {
  fail(error, env)
}
