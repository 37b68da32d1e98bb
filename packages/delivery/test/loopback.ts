import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * A loopback address other than 127.0.0.1, to stand for a public one that the guard is told to let through: 127.0.0.2
 * where the whole block is bound (Linux), else ::1.
 */
export async function secondLoopback(): Promise<string> {
  const server = createServer()
  try {
    server.listen(0, '127.0.0.2')
    await once(server, 'listening')
    return '127.0.0.2'
  } catch {
    return '::1'
  } finally {
    server.close()
  }
}
