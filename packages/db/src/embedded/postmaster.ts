import { execFile } from 'node:child_process'
import { readFile, readlink, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { EmbeddedPostgresError } from './failure.ts'

const run = promisify(execFile)

/** What `postmaster.pid` in a data folder says of the server on it. */
export interface Postmaster {
  pid: number
  port: number
  ready: boolean
}

/** How often files of a server that is starting or stopping are looked at, in milliseconds (pg_ctl does the same). */
const POLL_MS = 25

/**
 * The server that runs on a data folder, or undefined. The process in `postmaster.pid` counts only when it is a
 * PostgreSQL started on this very folder: after a crash of the machine the file stays, and its number may belong to
 * anything; PostgreSQL itself would then refuse to start, so such a file is removed.
 */
export async function findPostmaster(data: string): Promise<Postmaster | undefined> {
  const file = join(data, 'postmaster.pid')
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n')
  const pid = Number(lines[0])
  if (!Number.isInteger(pid) || pid <= 0) return undefined
  if (!(await isPostmasterOf(pid, data))) {
    // The file may be the next server's by now: remove it only if it still names the dead one.
    const now = await readFile(file, 'utf8').catch(() => '')
    if (Number(now.split('\n')[0]) === pid) await rm(file, { force: true })
    return undefined
  }
  return { pid, port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' }
}

async function isPostmasterOf(pid: number, data: string): Promise<boolean> {
  const line = await commandLineOf(pid)
  // The server's children show "postgres: checkpointer" and the like, so only the first process matches.
  if (!/(^|\/)postgres -D /.test(line)) return false
  // It works inside its data folder, and this link follows the folder when it is moved.
  const inside =
    process.platform === 'linux' ? await readlink(`/proc/${pid}/cwd`).catch(() => undefined) : undefined
  return inside === undefined ? line.includes(data) : inside === data
}

/** A process's command line; empty for one that is gone or only waits to be reaped. */
async function commandLineOf(pid: number): Promise<string> {
  if (process.platform === 'linux') {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    return line.replaceAll('\0', ' ')
  }
  const shown = await run('ps', ['-o', 'args=', '-p', String(pid)]).catch(() => ({ stdout: '' }))
  return shown.stdout
}

/**
 * Waits until the server on a data folder takes connections, or is gone (undefined).
 *
 * @param limitMs after how long to give up; recovery after a crash can take its time
 * @throws {EmbeddedPostgresError} when the time is up
 */
export async function whenReady(data: string, limitMs: number): Promise<Postmaster | undefined> {
  const deadline = performance.now() + limitMs
  for (;;) {
    const found = await findPostmaster(data)
    if (found === undefined || found.ready) return found
    if (performance.now() > deadline) {
      throw new EmbeddedPostgresError(
        `PostgreSQL (process ${found.pid}) is not ready after ${Math.round(limitMs / 1000)} s: look into its log, or end that process.`,
      )
    }
    await delay(POLL_MS)
  }
}

/**
 * Stops a server: fast shutdown (SIGINT: open transactions are rolled back, a checkpoint is written), and if that
 * does not end it in time an immediate one (SIGQUIT: the next start recovers from the log).
 *
 * @throws {EmbeddedPostgresError} when the process survives both
 */
export async function stopPostmaster(pid: number, data: string, graceMs = 30_000): Promise<void> {
  for (const [signal, limit] of [
    ['SIGINT', graceMs],
    ['SIGQUIT', 10_000],
  ] as const) {
    try {
      process.kill(pid, signal)
    } catch (error) {
      if (!(await isPostmasterOf(pid, data))) return
      throw new EmbeddedPostgresError(`PostgreSQL (process ${pid}) cannot be stopped: ${String(error)}`)
    }
    const deadline = performance.now() + limit
    while (performance.now() < deadline) {
      if (!(await isPostmasterOf(pid, data))) return
      await delay(POLL_MS)
    }
  }
  throw new EmbeddedPostgresError(`PostgreSQL (process ${pid}) did not stop.`)
}
