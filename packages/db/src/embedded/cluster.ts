import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { EmbeddedPostgresError, explainFailure } from './failure.ts'
import { clusterOf, type Location } from './location.ts'

/** The PostgreSQL release the binaries are of; data of another one cannot be opened by it. */
const MAJOR = '18'

/** A database folder that exists, and what is remembered beside it. */
export interface Cluster {
  data: string
  password: string
  /** The port of the last start. */
  port: number | undefined
}

/**
 * Opens the database folder, making it at the first start: `cluster/data`, and beside it `cluster/password` (0600).
 * It is built under another name and renamed when complete, so an interrupted first start leaves nothing half made,
 * and of two first starts at once one wins and the other uses its work.
 *
 * @throws {EmbeddedPostgresError} when it cannot be read or made
 */
export async function openCluster(location: Location, fast: boolean): Promise<Cluster> {
  const path = clusterOf(location.home)
  const known = await readCluster(path)
  if (known !== undefined) return known
  await removeLeftovers(location.home)
  await makeCluster(location, path, fast)
  const made = await readCluster(path)
  if (made === undefined)
    throw new EmbeddedPostgresError(`The database folder ${path} vanished while it was made.`)
  return made
}

/** Remembers the port for the next start. */
export async function rememberPort(home: string, port: number): Promise<void> {
  await writeFile(join(clusterOf(home), 'port'), `${port}\n`)
}

async function readCluster(path: string): Promise<Cluster | undefined> {
  const data = join(path, 'data')
  let version: string
  try {
    version = (await readFile(join(data, 'PG_VERSION'), 'utf8')).trim()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw explainFailure(String(error), path, 'read its database')
  }
  if (version !== MAJOR) {
    throw new EmbeddedPostgresError(
      `The database in ${path} was written by PostgreSQL ${version}, this Workly brings ${MAJOR}: start the older Workly, dump the data and load them here.`,
    )
  }
  try {
    const password = (await readFile(join(path, 'password'), 'utf8')).trim()
    const port = Number(await readFile(join(path, 'port'), 'utf8').catch(() => ''))
    return { data, password, port: port > 0 ? port : undefined }
  } catch (error) {
    throw explainFailure(String(error), join(path, 'password'), 'read its password')
  }
}

async function makeCluster(location: Location, path: string, fast: boolean): Promise<void> {
  let fresh: string | undefined
  try {
    fresh = await mkdtemp(join(location.home, `making-${process.pid}-`))
    const data = join(fresh, 'data')
    const password = join(fresh, 'password')
    await chmod(fresh, 0o755)
    await mkdir(data, { mode: 0o700 })
    await writeFile(password, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600 })
    if (location.runAs !== undefined) {
      for (const file of [data, password]) await chown(file, location.runAs.uid, location.runAs.gid)
    }
    await initdb(location, data, password, fast)
    await rename(fresh, path)
  } catch (error) {
    if (fresh !== undefined) await rm(fresh, { recursive: true, force: true })
    if (error instanceof EmbeddedPostgresError) throw error
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    // Another start finished first; its folder is as good.
    if (code === 'ENOTEMPTY' || code === 'EEXIST') return
    throw explainFailure(String(error), location.home, 'make its database')
  }
}

/** Runs `initdb`: UTF-8, byte order for sorting and Unicode rules for case, the same on every operating system. */
async function initdb(location: Location, data: string, password: string, fast: boolean): Promise<void> {
  const args = [
    '--pgdata',
    data,
    '--username=postgres',
    '--pwfile',
    password,
    '--auth-local=scram-sha-256',
    '--auth-host=scram-sha-256',
    '--encoding=UTF8',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    // The builtin provider decides; "C" exists everywhere, where "C.UTF-8" is missing from older macOS.
    '--locale=C',
    '--no-instructions',
    ...(fast ? ['--no-sync', '--no-data-checksums'] : []),
  ]
  const child = spawn(join(location.binaries.root, 'bin', 'initdb'), args, {
    ...location.runAs,
    cwd: location.home,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { LC_ALL: 'C', TZ: 'UTC' },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8')
    stream.on('data', (text: string) => {
      output += text
    })
  }
  const code = await new Promise<number | string>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (status, signal) => resolve(status ?? signal ?? 'unknown'))
  })
  if (code !== 0) throw explainFailure(output, location.home, 'initialise its database')
}

/** Removes what a start that was killed while making a database left behind. */
async function removeLeftovers(home: string): Promise<void> {
  for (const name of await readdir(home).catch(() => [])) {
    const pid = Number(/^making-(\d+)-/.exec(basename(name))?.[1])
    if (pid > 0 && !isAlive(pid)) await rm(join(home, name), { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
