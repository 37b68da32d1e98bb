import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { atEnd } from '../ending.ts'
import { Child } from './child.ts'

const PROGRAM = 'redis-server'

/** Says why a side could not be measured, and how to get what it needs. */
export const NO_REDIS = `not measured: ${PROGRAM} is not installed (Debian, Ubuntu: apt-get install -y ${PROGRAM})`

/**
 * As BullMQ's guide wants it in production: an append-only file, synced each second, and nothing evicted
 * (https://docs.bullmq.io/guide/going-to-production). Snapshots besides it are off: they would only slow it down.
 */
export const REDIS_SETTINGS = {
  appendonly: 'yes',
  appendfsync: 'everysec',
  'maxmemory-policy': 'noeviction',
  save: '',
}

/** A Redis of the bench's own: on a socket in a folder of its own, and on no port. */
export interface Redis {
  pid: number
  socket: string
  end(): Promise<void>
}

/** Where the system keeps its programs, though not each user's PATH names it. */
const MORE_FOLDERS = ['/usr/bin', '/usr/local/bin', '/opt/homebrew/bin']

export function findRedis(): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...MORE_FOLDERS]
  return folders.map(folder => join(folder, PROGRAM)).find(existsSync)
}

export async function startRedis(program: string): Promise<Redis> {
  const folder = mkdtempSync(join(tmpdir(), 'workly-bench-redis-'))
  const removeFolder = atEnd(async () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
  const socket = join(folder, 'socket')
  const settings = { ...REDIS_SETTINGS, port: '0', dir: folder, unixsocket: socket, unixsocketperm: '700' }
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value])
  try {
    const [child] = await Child.startProgram(program, args, {}, line =>
      line.includes('eady to accept connections'),
    )
    return {
      pid: child.pid,
      socket,
      async end() {
        await child.end()
        await removeFolder()
      },
    }
  } catch (error) {
    await removeFolder()
    throw error
  }
}
