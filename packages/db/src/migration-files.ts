import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** One folder of `prisma/migrations`. */
export interface Migration {
  /** The folder's name: `20261130000000_first_tables`. Names sort in the order of application. */
  name: string
  script: string
  /** SHA-256 of the script in lower-case hex, as Prisma stores it. */
  checksum: string
  /** False for a script that must not be wrapped in a transaction. */
  transactional: boolean
}

/**
 * Reads the migrations in order of their names.
 *
 * @param folder holds one folder per migration, each with a `migration.sql`
 * @throws the file system's error when the folder or a script cannot be read
 */
export async function readMigrations(folder: string): Promise<Migration[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const names = entries.filter(entry => entry.isDirectory()).map(entry => entry.name)
  return Promise.all(
    names.sort().map(async name => {
      const script = await readFile(join(folder, name, 'migration.sql'), 'utf8')
      return { name, script, checksum: checksumOf(script), transactional: isTransactional(script) }
    }),
  )
}

/**
 * True when `checksum` was taken of this script, whatever line ends a checkout gave it (Prisma compares so too).
 */
export function hasChecksum(migration: Migration, checksum: string): boolean {
  const unix = migration.script.replaceAll('\r\n', '\n')
  return [migration.script, unix, unix.replaceAll('\n', '\r\n')].some(
    script => checksumOf(script) === checksum,
  )
}

function checksumOf(script: string): string {
  return createHash('sha256').update(script).digest('hex')
}

/**
 * PostgreSQL refuses `CREATE INDEX CONCURRENTLY` and its like in a transaction, and a script that opens
 * transactions itself would end ours.
 */
function isTransactional(script: string): boolean {
  const code = script.replaceAll(/\/\*[\s\S]*?\*\/|--.*$/gm, '')
  return !/\bconcurrently\b|^\s*(?:begin|start\s+transaction|commit)\b[^;\n]*;/im.test(code)
}
