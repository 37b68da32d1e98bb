import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createPrisma, createSql, migrate, type Sql } from '@workly/db'
import { type EmbeddedPostgres, removeEmbeddedPostgres } from '@workly/db/embedded'
import {
  type Context,
  createOrganization,
  createProject,
  createUser,
  LIMIT_DEFAULTS,
  type ProjectContext,
  putJob,
  readEncryptionKeys,
  type Services,
} from '@workly/services'
import { Logger, runMigrations } from 'graphile-worker'
import { atEnd } from '../ending.ts'
import { startPostgres } from '../postgres.ts'
import { fill, type Size } from './fill.ts'

const MIGRATIONS = fileURLToPath(new URL('../../../prisma/migrations', import.meta.url))
/**
 * Filling is not measured, so it waits for no disk; what is measured afterwards mostly reads. The buffers are of a server
 * that is meant for so much: with PostgreSQL's default of 128 MB a third of what a claim touches is read anew each time,
 * and each page read puts out another that is to be written first.
 */
const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_wal_size: '8GB',
  maintenance_work_mem: '512MB',
  shared_buffers: '4GB',
}
const PROJECTS = 60
/** The operator's settings: bounds that protect targets would be all that a claim meets. */
export const STORE_LIMITS = {
  ...LIMIT_DEFAULTS,
  project_calls_in_flight: 100_000,
  host_calls_in_flight: 100_000,
}
/** For a store that lives from one run of the bench to the next. */
const KEYS = `bench:${Buffer.alloc(32, 7).toString('base64')}`

/** A database with many jobs and runs, and its tenants. */
export class Store {
  readonly postgres: EmbeddedPostgres
  readonly services: Services
  /** The projects in the order of their making: the largest, the one with old runs, others. */
  readonly projects: ProjectContext[]
  readonly #ends: (() => Promise<void>)[]

  private constructor(
    postgres: EmbeddedPostgres,
    services: Services,
    projects: ProjectContext[],
    ends: (() => Promise<void>)[],
  ) {
    this.postgres = postgres
    this.services = services
    this.projects = projects
    this.#ends = ends
  }

  /** @param kept a folder to make it in and leave it, or to find it in when it was made there with the same size */
  static async open(size: Size, kept: string | undefined): Promise<Store> {
    const isThere = kept !== undefined && isFilled(kept, size)
    if (kept !== undefined && !isThere) {
      await removeEmbeddedPostgres(kept)
      markStore(kept, size, false)
    }
    const { server, end: endServer } = await startPostgres(SETTINGS, kept)
    const { services, end } = openServices(server.url)
    const ends = [end, endServer]
    try {
      await prepare(server.url)
      if (!isThere) {
        await makeProjects(services)
        await fill(services.sql, size)
        if (kept !== undefined) markStore(kept, size, true)
      }
      return new Store(server, services, await readProjects(services, services.sql), ends)
    } catch (error) {
      for (const close of ends) await close()
      throw error
    }
  }

  /** Another database on the same server, of its own size. */
  async beside(name: string, size: Size): Promise<{ services: Services; end: () => Promise<void> }> {
    const { sql } = this.services
    await sql`drop database if exists ${sql(name)}`.simple()
    await sql`create database ${sql(name)}`.simple()
    const url = this.postgres.urlOf(name)
    await prepare(url)
    const opened = openServices(url)
    await makeProjects(opened.services)
    await fill(opened.services.sql, size)
    return opened
  }

  async close(): Promise<void> {
    for (const end of this.#ends) await end()
  }
}

/** Says in a folder that it holds a store, so that no other folder is ever emptied. */
const MARK = 'workly-bench.json'

function markStore(folder: string, size: Size, filled: boolean): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, MARK), JSON.stringify({ size, filled }))
}

/**
 * Whether a folder holds a store of that size.
 *
 * @throws Error when it holds something else than a store
 */
function isFilled(folder: string, size: Size): boolean {
  if (!existsSync(folder) || readdirSync(folder).length === 0) return false
  const mark = join(folder, MARK)
  if (!existsSync(mark))
    throw new Error(`--store ${folder} holds other files: name an empty folder, or one that does not exist.`)
  return readFileSync(mark, 'utf8') === JSON.stringify({ size, filled: true })
}

/** The tables of Workly and of its queue. */
async function prepare(url: string): Promise<void> {
  await migrate(url, MIGRATIONS)
  await runMigrations({ connectionString: url, logger: new Logger(() => () => undefined) })
}

function openServices(url: string): { services: Services; end: () => Promise<void> } {
  const sql = createSql(url, { max: 4, name: 'workly bench' })
  const prisma = createPrisma(url, { max: 2 })
  const services: Services = {
    sql,
    prisma,
    encryption: readEncryptionKeys(KEYS),
    limits: STORE_LIMITS,
    allowHttp: true,
    allowedPrivate: [],
  }
  return { services, end: atEnd(() => Promise.all([sql.end({ timeout: 5 }), prisma.$disconnect()])) }
}

async function makeProjects(services: Services): Promise<void> {
  const user = await createUser(services, { email: 'bench@example.com' })
  for (let n = 0; n < PROJECTS; n++) {
    const organization = await createOrganization(
      services,
      user.id,
      { slug: `o${n}`, name: `Organization ${n}` },
      null,
    )
    const ctx: Context = {
      services,
      organizationId: organization.id,
      actor: { kind: 'user', id: user.id, name: 'bench', role: 'owner' },
      requestId: null,
    }
    const { project } = await createProject(ctx, { slug: 'main', name: 'Main' })
    const settings = { cron: '0 3 1 1 *', url: 'https://target.example/', payload: { report: 'nightly' } }
    await putJob({ ...ctx, projectId: project.id }, 'seed', settings)
  }
}

async function readProjects(services: Services, sql: Sql): Promise<ProjectContext[]> {
  const rows = await sql<{ id: string; organization_id: string }[]>`
    select id, organization_id from projects order by created_at, id`
  return rows.map(({ id, organization_id }) => ({
    services,
    organizationId: organization_id,
    projectId: id,
    actor: { kind: 'system', name: 'bench' },
    requestId: null,
  }))
}
