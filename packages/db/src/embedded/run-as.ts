import { execFile } from 'node:child_process'
import { realpathSync, type Stats, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { EmbeddedPostgresError } from './failure.ts'

const run = promisify(execFile)

/** The user a process runs as, where that is not the user who runs Node. */
export interface RunAs {
  uid: number
  gid: number
}

/** True when Node runs as root, which PostgreSQL refuses to run as. */
export function isRoot(): boolean {
  return process.getuid?.() === 0
}

/**
 * The user `postgres`, made when the machine has none.
 *
 * @throws {EmbeddedPostgresError} when it does not exist and cannot be made
 */
export async function postgresUser(): Promise<RunAs> {
  const known = await idsOf('postgres')
  if (known !== undefined) return known
  try {
    await run('groupadd', ['--system', '--force', 'postgres'])
    await run('useradd', ['--system', '--no-create-home', '--gid', 'postgres', 'postgres'])
  } catch (error) {
    // Another start may have made the user in between.
    const made = await idsOf('postgres')
    if (made !== undefined) return made
    const why = error instanceof Error ? error.message.split('\n')[0] : String(error)
    throw new EmbeddedPostgresError(
      `PostgreSQL refuses to run as root, and a user "postgres" could not be made (${why}): make one, or start Workly as an ordinary user.`,
    )
  }
  const made = await idsOf('postgres')
  if (made === undefined) throw new EmbeddedPostgresError('The user "postgres" was made but cannot be found.')
  return made
}

async function idsOf(user: string): Promise<RunAs | undefined> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', user]), run('id', ['-g', user])])
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) }
  } catch {
    return undefined
  }
}

/**
 * The first folder on the way to `path` that `user` may not enter, or undefined when the way is open.
 * Reads modes only: access control lists are not looked at.
 *
 * @param path an existing folder
 */
export function closedFolder(path: string, user: RunAs): string | undefined {
  const ways: string[] = []
  for (let folder = realpathSync(path); ; folder = dirname(folder)) {
    ways.unshift(folder)
    if (folder === dirname(folder)) break
  }
  return ways.find(folder => !mayEnter(statSync(folder), user))
}

function mayEnter({ uid, gid, mode }: Stats, user: RunAs): boolean {
  // The owner's and the group's bits count alone, as the kernel does it: an owner shut out is not let in as "others".
  if (uid === user.uid) return (mode & 0o100) !== 0
  if (gid === user.gid) return (mode & 0o010) !== 0
  return (mode & 0o001) !== 0
}
