import { once } from 'node:events'
import { type AddressInfo, createConnection, createServer, type Server, type Socket } from 'node:net'

/** Stands before a Docker engine's socket, and can be cut, as if the engine were down. */
export class CutProxy {
  readonly #socket: string
  readonly #open = new Set<Socket>()
  #server: Server | null = null
  #port = 0

  constructor(socket: string) {
    this.#socket = socket
  }

  get port(): number {
    return this.#port
  }

  async start(): Promise<void> {
    const server = createServer(client => {
      const engine = createConnection(this.#socket)
      for (const socket of [client, engine]) {
        this.#open.add(socket)
        socket.on('error', () => {})
        socket.on('close', () => {
          this.#open.delete(socket)
          client.destroy()
          engine.destroy()
        })
      }
      client.pipe(engine).pipe(client)
    })
    server.listen(this.#port, '127.0.0.1')
    await once(server, 'listening')
    this.#port = (server.address() as AddressInfo).port
    this.#server = server
  }

  async stop(): Promise<void> {
    const server = this.#server
    this.#server = null
    if (server === null) return
    const closed = new Promise(resolve => server.close(resolve))
    for (const socket of this.#open) socket.destroy()
    await closed
  }
}
