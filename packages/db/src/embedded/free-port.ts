import { createServer } from 'node:net'

/**
 * A TCP port on 127.0.0.1 that is free now: the first of `wanted` that is, else one the system chooses.
 *
 * @param wanted ports in order of preference, 1 to 65535
 */
export async function freePort(wanted: number[]): Promise<number> {
  for (const port of [...wanted, 0]) {
    const free = await tryPort(port)
    if (free !== undefined) return free
  }
  throw new Error('127.0.0.1 has no free TCP port')
}

function tryPort(port: number): Promise<number | undefined> {
  return new Promise(resolve => {
    const server = createServer()
    server.once('error', () => resolve(undefined))
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : undefined))
    })
  })
}
