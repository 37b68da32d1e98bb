import { connect, type Socket } from 'node:net'

/** RFC 8305 section 5, "Connection Attempt Delay": how long one address may take before the next is tried beside it. */
const NEXT_ADDRESS_MS = 250
/** A name with hundreds of addresses must not make one call knock at hundreds of doors. */
const MOST_ADDRESSES = 6

/** Keeps a long call's connection known to the routers between. */
const KEEP_ALIVE_PROBE_MS = 60_000

type Done = (error: Error | null, socket: Socket | null, address: string) => void

/**
 * Connects to the first of some addresses that answers: one after the other, 250 ms apart or as soon as one fails, with
 * the slower ones left running meanwhile (RFC 8305). Node's own `autoSelectFamily` would give each but the last up after
 * those 250 ms, and so never reach a distant server. `done` is called once, with the first error if all fail.
 * @returns a function that gives up, after which `done` is not called
 */
export function raceConnect(addresses: readonly string[], port: number, done: Done): () => void {
  const left = addresses.slice(0, MOST_ADDRESSES)
  const open = new Set<Socket>()
  let firstError: Error | null = null
  let timer: NodeJS.Timeout | undefined

  const stop = () => {
    clearTimeout(timer)
    for (const socket of open) socket.destroy()
    open.clear()
    left.length = 0
  }

  const tryNext = () => {
    clearTimeout(timer)
    const address = left.shift()
    if (address === undefined) {
      if (open.size === 0) done(firstError ?? new Error('no address'), null, '')
      return
    }
    const socket = connect({
      host: address,
      port,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: KEEP_ALIVE_PROBE_MS,
    })
    open.add(socket)
    socket.once('connect', () => {
      open.delete(socket)
      stop()
      done(null, socket, address)
    })
    socket.on('error', error => {
      if (!open.delete(socket)) return
      firstError ??= error
      tryNext()
    })
    if (left.length > 0) timer = setTimeout(tryNext, NEXT_ADDRESS_MS)
  }

  tryNext()
  return stop
}
