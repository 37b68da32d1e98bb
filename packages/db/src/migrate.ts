import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { Logger, runMigrations } from 'graphile-worker'
import { hasChecksum, type Migration, readMigrations } from './migration-files.ts'
import { createSql, type Sql } from './sql.ts'

/** A migration that cannot go on, in words for the operator. */
export class MigrationError extends Error {
  override name = 'MigrationError'
}

/** What {@link migrate} did. */
export interface MigrateResult {
  /** Names of the migrations applied now, in order. */
  applied: string[]
  /** Names of applied migrations this code does not have: the database belongs to a newer Workly. */
  unknown: string[]
}

/** The schema of graphile-worker's tables. */
export const TASK_SCHEMA = 'graphile_worker'

/** The advisory lock Prisma's own `migrate deploy` takes, so that the two never run at once. */
const PRISMA_LOCK = 72_707_369

/** A row of Prisma's bookkeeping. */
interface Applied {
  id: string
  checksum: string
  migration_name: string
  finished_at: Date | null
  logs: string | null
}

/**
 * Brings a database up to date: the scripts of `prisma/migrations`, then graphile-worker's own tables.
 *
 * It keeps Prisma's table `_prisma_migrations`, so `prisma migrate deploy` and this agree on what is applied. Of
 * several processes at once one works and the others wait. A script runs in one transaction together with its row; one
 * that fails leaves the database as it was and a row marked as rolled back that holds the reason, and is tried again
 * at the next call. A database that is ahead of this code is left as it is: in a rolling deploy old code runs beside new.
 *
 * @param url the database, as a user who may create tables
 * @param migrationsDir the folder of `prisma/migrations`
 * @param log called with one line per step
 * @throws {MigrationError} when a script fails, an applied one was edited, or an earlier failure is not resolved
 */
export async function migrate(
  url: string,
  migrationsDir: string,
  log: (line: string) => void = () => undefined,
): Promise<MigrateResult> {
  const migrations = await readMigrations(migrationsDir)
  const sql = createSql(url, { max: 1, name: 'workly migrate' })
  try {
    await lock(sql, log)
    const result = await applyPending(sql, migrations, log)
    await migrateTasks(url)
    return result
  } finally {
    // The advisory lock ends with its connection.
    await sql.end({ timeout: 5 })
  }
}

/**
 * Asks for the lock again and again instead of waiting inside `pg_advisory_lock`: a waiting statement holds a
 * snapshot, `CREATE INDEX CONCURRENTLY` waits for all older snapshots, and the two would deadlock.
 */
async function lock(sql: Sql, log: (line: string) => void): Promise<void> {
  for (let round = 0; ; round++) {
    const [row] = await sql<{ locked: boolean }[]>`select pg_try_advisory_lock(${PRISMA_LOCK}) as locked`
    if (row?.locked === true) return
    if (round === 0) log('Another process is migrating the database; waiting for it.')
    await delay(200)
  }
}

async function applyPending(
  sql: Sql,
  migrations: Migration[],
  log: (line: string) => void,
): Promise<MigrateResult> {
  await sql`
    create table if not exists _prisma_migrations (
      id                  varchar(36) primary key not null,
      checksum            varchar(64) not null,
      finished_at         timestamptz,
      migration_name      varchar(255) not null,
      logs                text,
      rolled_back_at      timestamptz,
      started_at          timestamptz not null default now(),
      applied_steps_count integer not null default 0
    )`
  const rows = await sql<Applied[]>`
    select id, checksum, migration_name, finished_at, logs from _prisma_migrations
    where rolled_back_at is null order by started_at, migration_name`
  refuseUnfinished(rows)
  const byName = new Map(rows.map(row => [row.migration_name, row]))
  refuseEdited(migrations, byName)

  const known = new Set(migrations.map(migration => migration.name))
  const unknown = [...byName.keys()].filter(name => !known.has(name))
  if (unknown.length > 0)
    log(`The database has migrations of a newer Workly (${unknown.join(', ')}); going on.`)

  const applied: string[] = []
  for (const migration of migrations) {
    if (byName.has(migration.name)) continue
    log(`Applying migration ${migration.name}.`)
    await (migration.transactional ? applyInTransaction(sql, migration) : applyBare(sql, migration))
    applied.push(migration.name)
  }
  return { applied, unknown }
}

function refuseUnfinished(rows: Applied[]): void {
  const failed = rows.find(row => row.finished_at === null)
  if (failed === undefined) return
  const reason = failed.logs ? ` Its log says: ${failed.logs}` : ''
  throw new MigrationError(
    `Migration ${failed.migration_name} was begun and did not finish, so the database may hold a part of it.${reason} ` +
      'Undo that part by hand, then mark it: update _prisma_migrations set rolled_back_at = now() ' +
      `where id = '${failed.id}'; or finish it by hand and set finished_at instead.`,
  )
}

function refuseEdited(migrations: Migration[], byName: Map<string, Applied>): void {
  const edited = migrations.filter(migration => {
    const row = byName.get(migration.name)
    return row !== undefined && !hasChecksum(migration, row.checksum)
  })
  if (edited.length === 0) return
  throw new MigrationError(
    `Migration ${edited.map(migration => migration.name).join(', ')} was edited after it was applied: ` +
      'put the file back as it was and write the change as a new migration.',
  )
}

async function applyInTransaction(sql: Sql, migration: Migration): Promise<void> {
  const id = randomUUID()
  try {
    await sql.begin(async transaction => {
      await transaction`
        insert into _prisma_migrations (id, checksum, migration_name) values (${id}, ${migration.checksum}, ${migration.name})`
      await transaction.unsafe(migration.script)
      await transaction`
        update _prisma_migrations set finished_at = clock_timestamp(), applied_steps_count = 1 where id = ${id}`
    })
  } catch (error) {
    const reason = describe(error, migration)
    await sql`
      insert into _prisma_migrations (id, checksum, migration_name, logs, rolled_back_at)
      values (${id}, ${migration.checksum}, ${migration.name}, ${reason}, now())`
    throw new MigrationError(
      `Migration ${migration.name} failed and was rolled back, the database is as before: ${reason}`,
      { cause: error },
    )
  }
}

async function applyBare(sql: Sql, migration: Migration): Promise<void> {
  const id = randomUUID()
  await sql`
    insert into _prisma_migrations (id, checksum, migration_name) values (${id}, ${migration.checksum}, ${migration.name})`
  try {
    await sql.unsafe(migration.script)
  } catch (error) {
    const reason = describe(error, migration)
    await sql`update _prisma_migrations set logs = ${reason} where id = ${id}`
    throw new MigrationError(
      `Migration ${migration.name} failed outside a transaction, so a part of it may have stayed: ${reason}`,
      { cause: error },
    )
  }
  await sql`update _prisma_migrations set finished_at = now(), applied_steps_count = 1 where id = ${id}`
}

/** PostgreSQL's message with the line of the script it points at. */
function describe(error: unknown, migration: Migration): string {
  if (!(error instanceof Error)) return String(error)
  const position = 'position' in error ? Number(error.position) : Number.NaN
  const code = 'code' in error ? ` (${String(error.code)})` : ''
  if (!(position > 0)) return `${error.message}${code}`
  const line = migration.script.slice(0, position - 1).split('\n').length
  return `line ${line}: ${error.message}${code}`
}

/** graphile-worker's tables. Under our lock, since its own migrations may clash when two processes run them. */
async function migrateTasks(url: string): Promise<void> {
  await runMigrations({
    connectionString: url,
    schema: TASK_SCHEMA,
    maxPoolSize: 2,
    logger: new Logger(() => () => undefined),
  })
}
