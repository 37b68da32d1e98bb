import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import type { PostgresBinaries } from './binaries.ts'
import { EmbeddedPostgresError, explainFailure } from './failure.ts'
import { closedFolder, isRoot, postgresUser, type RunAs } from './run-as.ts'

/** Where PostgreSQL runs from, and as whom. */
export interface Location {
  /** Holds the folder `cluster`. */
  home: string
  binaries: PostgresBinaries
  runAs: RunAs | undefined
  /** One sentence for the operator when files lie elsewhere than asked. */
  note: string | undefined
}

/** The folder for root's PostgreSQL where the asked one is closed to the user `postgres`. */
export const SHARED_HOME = '/var/lib/workly'

/** The database folder inside a home; it is renamed into place whole, so it exists only when it is complete. */
export function clusterOf(home: string): string {
  return join(home, 'cluster')
}

/**
 * Decides where data and binaries lie. For an ordinary user that is where they were asked for. PostgreSQL refuses
 * to run as root, so for root it runs as `postgres`, and what that user cannot reach lies in `sharedHome`.
 *
 * @throws {EmbeddedPostgresError} when the folder cannot be made or used
 */
export async function chooseLocation(
  dataDir: string,
  binaries: PostgresBinaries,
  sharedHome: string,
): Promise<Location> {
  makeFolder(resolve(dataDir))
  // One spelling for one folder: the server on it is found by its path.
  const asked = realpathSync(dataDir)
  if (!isRoot()) return { home: asked, binaries, runAs: undefined, note: undefined }

  const user = await postgresUser()
  const notes: string[] = []
  const home = reachableHome(asked, user, sharedHome)
  if (home !== asked) {
    notes.push(`the database lies in ${home}, since the user who runs it may not enter ${asked}`)
  }
  const runAs = ownerOf(join(clusterOf(home), 'data')) ?? user
  const reachable = reachableBinaries(binaries, runAs, sharedHome)
  if (reachable.root !== binaries.root) notes.push(`PostgreSQL's programs were copied to ${reachable.root}`)
  const note =
    notes.length === 0 ? undefined : `Workly runs as root, but PostgreSQL cannot: ${notes.join('; ')}.`
  return { home, binaries: reachable, runAs, note }
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true })
  } catch (error) {
    throw explainFailure(String(trueReason(path) ?? error), path, 'make its folder')
  }
}

/** On a read-only file system Node's recursive mkdir says ENOENT; the plain one says EROFS. */
function trueReason(path: string): unknown {
  try {
    mkdirSync(path)
    return undefined
  } catch (error) {
    return error
  }
}

function reachableHome(asked: string, user: RunAs, sharedHome: string): string {
  const elsewhere = join(sharedHome, createHash('sha256').update(asked).digest('hex').slice(0, 12))
  const here = existsSync(clusterOf(asked))
  const there = existsSync(clusterOf(elsewhere))
  const closed = closedFolder(asked, ownerOf(join(clusterOf(asked), 'data')) ?? user)
  if (closed === undefined && (here || !there)) return asked
  if (here && !there) {
    // Starting anew elsewhere would look like all data were lost.
    throw new EmbeddedPostgresError(
      `PostgreSQL may no longer enter ${closed}, which holds its database ${asked}: open it (chmod o+x ${closed}), or move the database with mkdir -p ${elsewhere} && mv ${clusterOf(asked)} ${elsewhere}/.`,
    )
  }
  makeFolder(elsewhere)
  const shut = closedFolder(elsewhere, user)
  if (shut !== undefined) {
    throw new EmbeddedPostgresError(
      `The user "postgres" may enter neither ${asked} nor ${shut}: open one of them with chmod o+x.`,
    )
  }
  return elsewhere
}

/** The owner of a database made earlier, perhaps by an ordinary user: files keep one owner however Workly is started. */
function ownerOf(path: string): RunAs | undefined {
  if (!existsSync(path)) return undefined
  const { uid, gid } = statSync(path)
  return uid === 0 ? undefined : { uid, gid }
}

function reachableBinaries(binaries: PostgresBinaries, user: RunAs, sharedHome: string): PostgresBinaries {
  if (closedFolder(join(binaries.root, 'bin'), user) === undefined && runs(binaries, user)) return binaries
  const root = join(sharedHome, `postgres-${binaries.release}`)
  if (!existsSync(root)) copyBinaries(binaries.root, root, sharedHome)
  return { ...binaries, root }
}

/** Asks PostgreSQL's programs for their version as the user: shows unreadable libraries too. */
function runs(binaries: PostgresBinaries, user: RunAs): boolean {
  const shown = spawnSync(join(binaries.root, 'bin', 'initdb'), ['--version'], { ...user, cwd: '/' })
  return shown.status === 0
}

function copyBinaries(from: string, to: string, sharedHome: string): void {
  try {
    mkdirSync(sharedHome, { recursive: true })
    const fresh = mkdtempSync(join(sharedHome, 'copy-'))
    try {
      cpSync(from, fresh, { recursive: true, verbatimSymlinks: true })
      openForAll(fresh)
      renameSync(fresh, to)
    } finally {
      // After the rename nothing is there; a copy that lost the race against another start is thrown away.
      rmSync(fresh, { recursive: true, force: true })
    }
  } catch (error) {
    if (existsSync(to)) return
    throw explainFailure(String(error), to, "copy PostgreSQL's programs")
  }
}

function openForAll(folder: string): void {
  chmodSync(folder, 0o755)
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) openForAll(path)
    else if (entry.isFile()) chmodSync(path, (statSync(path).mode & 0o111) === 0 ? 0o644 : 0o755)
  }
}
