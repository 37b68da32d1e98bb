import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import {
  bindMigrationAwareSqlAdapterFactory,
  type ColumnType,
  ColumnTypeEnum,
  type SqlMigrationAwareDriverAdapterFactory,
  type SqlQuery,
  type SqlResultSet,
} from '@prisma/driver-adapter-utils'
import type { SchemaEngine } from '@prisma/schema-engine-wasm/schema_engine_bg'
import pg from 'pg'
import type { Migration } from './migration-files.ts'

const ENGINE = '@prisma/schema-engine-wasm/schema_engine_bg'

/** What Prisma itself thinks of a database that {@link migrate} has migrated. */
export interface PrismaVerdict {
  /** The SQL that would make the database what `schema.prisma` says; empty when it is that already. */
  drift: string
  /** Names of migrations Prisma would still apply, has seen fail, or finds edited. */
  unapplied: string[]
  failed: string[]
  edited: string[]
}

/**
 * Asks Prisma's own schema engine whether a database is what `schema.prisma` describes and whether its table of
 * migrations is as it expects. What Prisma cannot express (checks, partial indexes, functions, triggers) it does not see.
 *
 * @param url the migrated database
 * @param schema the text of `schema.prisma`
 * @param migrations what the database should have applied
 * @throws Error when the engine panics or meets a column type it was not taught
 */
export async function askPrisma(
  url: string,
  schema: string,
  migrations: Migration[],
): Promise<PrismaVerdict> {
  const pool = new pg.Pool({ connectionString: url, max: 2, options: '-c TimeZone=UTC' })
  const files = [{ path: 'schema.prisma', content: schema }]
  const filters = { externalTables: [], externalEnums: [] }
  try {
    const { SchemaEngine } = await loadEngine()
    const engine = await SchemaEngine.new(
      { datamodels: [['schema.prisma', schema]] },
      () => undefined,
      bindMigrationAwareSqlAdapterFactory(adapter(pool)),
    )
    const diff = await engine.diff({
      from: { tag: 'schemaDatasource', files, configDir: '.' },
      to: { tag: 'schemaDatamodel', files },
      script: true,
      exitCode: true,
      filters,
    })
    const history = await engine.diagnoseMigrationHistory({
      migrationsList: {
        baseDir: '.',
        lockfile: { path: './migration_lock.toml', content: 'provider = "postgresql"\n' },
        shadowDbInitScript: '',
        migrationDirectories: migrations.map(({ name, script }) => ({
          path: name,
          migrationFile: { path: 'migration.sql', content: { tag: 'ok', value: script } },
        })),
      },
      optInToShadowDatabase: false,
      filters,
    })
    const behind = history.history
    return {
      drift: diff.exitCode === 0 ? '' : (diff.stdout ?? ''),
      unapplied: behind !== null && 'unappliedMigrationNames' in behind ? behind.unappliedMigrationNames : [],
      failed: history.failedMigrationNames,
      edited: history.editedMigrationNames,
    }
  } finally {
    await pool.end()
  }
}

/** Node has it, but @types/node does not declare it. */
declare const WebAssembly: {
  instantiate(
    bytes: Uint8Array,
    imports: Record<string, object>,
  ): Promise<{ instance: { exports: Record<string, unknown> } }>
}

interface EngineModule {
  SchemaEngine: typeof SchemaEngine
  __wbg_set_wasm(exports: Record<string, unknown>): void
}

let loaded: Promise<EngineModule> | undefined

/** Its JavaScript half holds one instance in a module variable, so there can be only one per process. */
function loadEngine(): Promise<EngineModule> {
  loaded ??= (async () => {
    // The engine reports a panic here before it traps; without it the message is lost.
    Object.assign(globalThis, {
      PRISMA_WASM_PANIC_REGISTRY: {
        set_message(message: string) {
          throw new Error(`Prisma's schema engine panicked: ${message}`)
        },
      },
    })
    const half: EngineModule = await import(ENGINE)
    const entry = createRequire(import.meta.url).resolve(ENGINE)
    const bytes = await readFile(join(dirname(entry), 'schema_engine_bg.wasm'))
    const { instance } = await WebAssembly.instantiate(bytes, { './schema_engine_bg.js': half })
    half.__wbg_set_wasm(instance.exports)
    const { __wbindgen_start: start } = instance.exports
    if (typeof start === 'function') start()
    return half
  })()
  return loaded
}

/** PostgreSQL's type numbers (pg_type.oid) in the engine's questions, and the form it wants each in. */
const COLUMN_TYPES = new Map<number, ColumnType>([
  [16, ColumnTypeEnum.Boolean],
  [18, ColumnTypeEnum.Character],
  [19, ColumnTypeEnum.Text],
  [20, ColumnTypeEnum.Int64],
  [21, ColumnTypeEnum.Int32],
  [23, ColumnTypeEnum.Int32],
  [25, ColumnTypeEnum.Text],
  [26, ColumnTypeEnum.Int64],
  [1003, ColumnTypeEnum.TextArray],
  [1009, ColumnTypeEnum.TextArray],
  [1043, ColumnTypeEnum.Text],
  [1184, ColumnTypeEnum.DateTime],
])

/** @prisma/adapter-pg refuses the catalog's types "char" and name[], which the engine asks for. */
function adapter(pool: pg.Pool): SqlMigrationAwareDriverAdapterFactory {
  const refuse = () => Promise.reject(new Error('the drift check only reads'))
  const names = { provider: 'postgres', adapterName: 'workly' } as const
  return {
    ...names,
    connectToShadowDb: refuse,
    connect: async () => ({
      ...names,
      queryRaw: query => queryRaw(pool, query),
      executeRaw: refuse,
      executeScript: refuse,
      startTransaction: refuse,
      getConnectionInfo: () => ({ schemaName: 'public', supportsRelationJoins: true }),
      dispose: async () => undefined,
    }),
  }
}

async function queryRaw(pool: pg.Pool, query: SqlQuery): Promise<SqlResultSet> {
  const result = await pool.query({
    text: query.sql,
    values: query.args,
    rowMode: 'array',
    types: { getTypeParser: parserOf },
  })
  const columnTypes = result.fields.map(({ name, dataTypeID }) => {
    const type = COLUMN_TYPES.get(dataTypeID)
    if (type === undefined) throw new Error(`the schema engine asked for ${name}, of type ${dataTypeID}`)
    return type
  })
  return { columnNames: result.fields.map(field => field.name), columnTypes, rows: result.rows }
}

/** Names of columns and the like: an array literal of plain words and quoted ones. */
function parseTextArray(literal: string): string[] {
  const items = literal.slice(1, -1).match(/"(?:[^"\\]|\\.)*"|[^,]+/g) ?? []
  return items.map(item => (item.startsWith('"') ? item.slice(1, -1).replaceAll(/\\(.)/g, '$1') : item))
}

function parserOf(oid: number): (text: string) => unknown {
  switch (oid) {
    case 16:
      return text => text === 't'
    case 21:
    case 23:
      return Number
    case 1003:
    case 1009:
      return text => parseTextArray(text)
    case 1184:
      return text => text.replace(' ', 'T').replace(/\+00$/, '+00:00')
    default:
      return String
  }
}
