import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { MOST_CONNECTIONS, SERVER_LIMITS } from '@workly/core'

export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** A server on loopback that can be stopped without waiting for idle connections. */
export interface OnePort {
  port: number
  close(): Promise<void>
}

/** What is wrong with the port, in one sentence. */
export class PortError extends Error {}

function explain(error: NodeJS.ErrnoException, port: number): PortError {
  if (error.code === 'EADDRINUSE') {
    return new PortError(
      `Port ${port} is taken. Is Workly running already? Otherwise choose another: WORKLY_PORT=${port + 1} npm start`,
    )
  }
  if (error.code === 'EACCES')
    return new PortError(`Port ${port} may not be used by this user; choose one above 1023.`)
  return new PortError(`Port ${port} cannot be used: ${error.message}`)
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explain(error, port)))
    server.listen(port, host, resolve)
  })
}

/**
 * Takes the port at once, on both loopback addresses where the machine has both, so that a second start finds out
 * before it touches anything; requests are answered 503 until there is a handler.
 * @param failed told of a handler that threw: such a request is answered 500, and ends nothing else
 * @throws PortError with a sentence for the person at the terminal
 */
export async function takePort(
  port: number,
  handlerOf: () => Handler | null,
  failed: (error: unknown) => void,
): Promise<OnePort> {
  const sockets = new Set<Socket>()
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const handler = handlerOf()
    if (handler) {
      handler(request, response).catch((error: unknown) => {
        failed(error)
        if (!response.headersSent) response.writeHead(500, { 'Content-Type': 'text/plain' })
        response.end('Something went wrong on our side.\n')
      })
      return
    }
    response.writeHead(503, { 'Retry-After': '1', 'Content-Type': 'text/plain' }).end('Workly is starting.\n')
  }
  const makeServer = () => {
    const server = createServer(SERVER_LIMITS, answer)
    server.maxConnections = MOST_CONNECTIONS
    server.on('connection', socket => {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
    })
    return server
  }
  const first = makeServer()
  await listen(first, port, '127.0.0.1')
  const taken = (first.address() as AddressInfo).port
  const servers = [first]
  const second = makeServer()
  try {
    await listen(second, taken, '::1')
    servers.push(second)
  } catch (error) {
    // A machine without IPv6 has no ::1; a port that another holds there would answer half of all browsers.
    if (error instanceof PortError && error.message.includes('is taken')) throw error
  }
  return {
    port: taken,
    async close() {
      const closed = servers.map(server => new Promise(resolve => server.close(resolve)))
      for (const server of servers) server.closeIdleConnections()
      const late = setTimeout(() => {
        for (const socket of sockets) socket.destroy()
      }, 2_000)
      await Promise.all(closed)
      clearTimeout(late)
    },
  }
}
