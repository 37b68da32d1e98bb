import { spawn } from 'node:child_process'
import { closeSync, openSync, readSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { explainFailure } from './failure.ts'
import type { Location } from './location.ts'
import { findPostmaster, type Postmaster } from './postmaster.ts'

/** PostgreSQL settings by name, as in postgresql.conf. */
export type ServerSettings = Record<string, string>

const BASE: ServerSettings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '128MB',
  max_wal_size: '2GB',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  logging_collector: 'off',
  log_destination: 'stderr',
}

/** For data nobody misses: nothing waits for the disk, and a crash of the machine may ruin the folder. */
const FAST: ServerSettings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  autovacuum_naptime: '10s',
}

/** Above this many bytes the log of earlier starts is set aside as `<name>.1`. */
const LOG_LIMIT = 10_000_000

/** What came of an attempt to start a server. */
export type Started =
  | { outcome: 'ready'; postmaster: Postmaster }
  | { outcome: 'port-taken' }
  /** Another server is on the folder, or the last one's processes are still ending. */
  | { outcome: 'folder-taken' }

/**
 * Starts `postgres` on a data folder and waits until it takes connections.
 *
 * It gets a session of its own, so that Ctrl-C in a terminal reaches Workly alone, which then stops it last; and it
 * writes to a file rather than to a pipe, so that it lives on when Workly is killed and the next start can use it.
 *
 * @param limitMs how long it may take, recovery after a crash included
 * @throws {EmbeddedPostgresError} when it cannot start
 */
export async function startServer(
  location: Location,
  data: string,
  port: number,
  logFile: string,
  settings: ServerSettings,
  limitMs: number,
): Promise<Started> {
  const log = openLog(logFile)
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  let ended = false
  let failure = ''
  try {
    const child = spawn(
      join(location.binaries.root, 'bin', 'postgres'),
      ['-D', data, '-p', String(port), ...flags],
      {
        ...location.runAs,
        cwd: location.home,
        detached: true,
        stdio: ['ignore', log.file, log.file],
        env: { LC_ALL: 'C', TZ: 'UTC' },
      },
    )
    child.once('error', error => {
      ended = true
      failure = String(error)
    })
    child.once('exit', () => {
      ended = true
    })
    child.unref()

    const deadline = performance.now() + limitMs
    while (!ended && performance.now() < deadline) {
      const found = await findPostmaster(data)
      if (found?.ready === true && found.pid === child.pid) return { outcome: 'ready', postmaster: found }
      await delay(20)
    }
    if (!ended) child.kill('SIGQUIT')
    const output = failure || readFrom(logFile, log.size)
    if (/Address already in use|could not create any TCP\/IP sockets/.test(output))
      return { outcome: 'port-taken' }
    if (
      /lock file "postmaster\.pid" already exists|pre-existing shared memory block|shared memory block .* is still in use/.test(
        output,
      )
    ) {
      return { outcome: 'folder-taken' }
    }
    throw explainFailure(
      output,
      location.home,
      ended ? 'start' : `start within ${Math.round(limitMs / 1000)} s`,
    )
  } finally {
    closeSync(log.file)
  }
}

/** The settings for durable or for throw-away data, with the caller's on top. */
export function serverSettings(fast: boolean, extra: ServerSettings): ServerSettings {
  return { ...BASE, ...(fast ? FAST : {}), ...extra }
}

function openLog(path: string): { file: number; size: number } {
  try {
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > LOG_LIMIT) renameSync(path, `${path}.1`)
    const file = openSync(path, 'a', 0o600)
    return { file, size: statSync(path).size }
  } catch (error) {
    throw explainFailure(String(error), path, 'write its log')
  }
}

/** The part of the log written since `from` (its first 64 KiB). */
function readFrom(path: string, from: number): string {
  const file = openSync(path, 'r')
  try {
    const buffer = Buffer.alloc(65_536)
    return buffer.toString('utf8', 0, readSync(file, buffer, 0, buffer.length, from))
  } finally {
    closeSync(file)
  }
}
