import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Worker } from 'node:worker_threads'

/** Listens, and then stops its whole thread until told: the kernel's queue fills up and further connections hang. */
const LISTEN = `
const { createServer } = require('node:net')
const { parentPort, workerData } = require('node:worker_threads')
const server = createServer(socket => socket.on('error', () => undefined).resume())
server.listen({ ...workerData.at, backlog: 1 }, () => parentPort.postMessage(server.address().port))
parentPort.once('message', () => Atomics.wait(new Int32Array(workerData.gate), 0, 0))
`

/** How long a connection on loopback may take before it counts as hanging. */
const HANGS_AFTER_MS = 200

/** A port on loopback that does not answer: neither a connection nor a refusal comes of knocking there. */
export class DeafListener {
  readonly port: number
  readonly #worker: Worker
  readonly #gate: SharedArrayBuffer
  readonly #held: Socket[] = []

  private constructor(port: number, worker: Worker, gate: SharedArrayBuffer) {
    this.port = port
    this.#worker = worker
    this.#gate = gate
  }

  static async start(host: string): Promise<DeafListener> {
    const gate = new SharedArrayBuffer(4)
    const worker = new Worker(LISTEN, { eval: true, workerData: { at: { host, port: 0 }, gate } })
    const [port] = (await once(worker, 'message')) as [number]
    worker.postMessage('be deaf')
    const listener = new DeafListener(port, worker, gate)
    while (await listener.#takesOneMore(host));
    return listener
  }

  async #takesOneMore(host: string): Promise<boolean> {
    const socket = connect(this.port, host)
    socket.on('error', () => undefined)
    this.#held.push(socket)
    return Promise.race([
      once(socket, 'connect').then(() => true),
      new Promise<boolean>(resolve => setTimeout(() => resolve(false), HANGS_AFTER_MS)),
    ])
  }

  /** Lets it answer from now on, also those who have been knocking. */
  hear(): void {
    for (const socket of this.#held.splice(0)) socket.destroy()
    Atomics.store(new Int32Array(this.#gate), 0, 1)
    Atomics.notify(new Int32Array(this.#gate), 0)
  }

  async close(): Promise<void> {
    this.hear()
    await this.#worker.terminate()
  }
}
