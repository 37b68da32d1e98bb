import { createServer } from 'node:http'
import { MOST_CONNECTIONS, SERVER_LIMITS } from '@workly/core'
import { pino } from 'pino'
import packageJson from '../package.json' with { type: 'json' }
import { createApi, createListener, createTestCaller } from './app.ts'
import { compose } from './compose.ts'
import { type ApiEnvironment, readApiEnv } from './env.ts'
import { startRescuing } from './rescuing.ts'

/** The API as a process of its own, as in production: stopped by SIGTERM or SIGINT. */

/** How long calls under way may take once the process is told to stop, in milliseconds. */
const GRACE_MS = 10_000

function readEnv(): ApiEnvironment {
  try {
    return readApiEnv()
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exit(2)
  }
}

const env = readEnv()
// A line a request: written behind the answers, many at once, and what is left when the process ends.
const log = pino.destination({ sync: false })
process.on('exit', () => log.flushSync())
const logger = pino({ level: env.logLevel, base: { app: 'api' } }, log)
const { services, end } = compose(env)
const testCaller = createTestCaller(services, packageJson.version)
const app = createApi({
  services,
  makeCall: testCaller.makeCall,
  version: packageJson.version,
  publicUrl: env.publicUrl,
  logger,
  limits: env.requests,
  isTrusted: env.isTrusted,
  ...(env.operatorToken !== undefined && { operatorToken: env.operatorToken }),
})
const listener = createListener(app, { publicUrl: env.publicUrl, replaceGlobals: true })
const rescuing = startRescuing(services, logger)
const server = createServer(SERVER_LIMITS, listener)
server.maxConnections = MOST_CONNECTIONS

let stopping = false
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    // A second signal does not wait.
    if (stopping) process.exit(1)
    stopping = true
    logger.info({ signal }, 'stopping')
    setTimeout(() => server.closeAllConnections(), GRACE_MS).unref()
    server.close(() => {
      Promise.all([testCaller.close(), rescuing.stop().then(end)]).then(
        () => process.exit(0),
        () => process.exit(1),
      )
    })
    server.closeIdleConnections()
  })
}

server.on('error', error => {
  process.stderr.write(`The API cannot listen on ${env.host}:${env.port}: ${error.message}\n`)
  process.exit(1)
})
server.listen(env.port, env.host, () => {
  logger.info({ host: env.host, port: env.port }, 'the API is listening')
  // The supervisor that started this process hears that calls are taken from now on.
  process.send?.({ ready: true })
})
