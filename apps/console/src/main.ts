import { createServer } from 'node:http'
import { MOST_CONNECTIONS, SERVER_LIMITS } from '@workly/core'
import { composeFromEnv, setComposition } from './compose.ts'
import { authSecret, listenAddress, setAuthUrl } from './env.ts'
import { createConsoleHandler } from './handler.ts'
import { log } from './log.ts'
import { createTestCaller } from './test-caller.ts'

/** The console as a process of its own, for production: it serves what `next build` has made. */
async function start(): Promise<void> {
  setAuthUrl()
  authSecret()
  const composed = composeFromEnv(createTestCaller)
  setComposition(composed)
  const { services } = composed
  const { host, port } = listenAddress()
  const handler = await createConsoleHandler({ dev: false })
  const server = createServer(SERVER_LIMITS, (request, response) => {
    handler(request, response).catch((err: unknown) => {
      log().error({ err }, 'a request failed')
      if (!response.headersSent) response.writeHead(500)
      response.end()
    })
  })
  server.maxConnections = MOST_CONNECTIONS
  server.listen(port, host, () => log().info({ host, port }, 'the console listens'))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      server.close(() => {
        Promise.all([services.sql.end({ timeout: 5 }), services.prisma.$disconnect()]).finally(() =>
          process.exit(0),
        )
      })
      server.closeIdleConnections()
    })
  }
}

try {
  await start()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
}
