import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createPrisma, createSql, migrate, type Sql } from '@workly/db'
import { type EmbeddedPostgres, removeEmbeddedPostgres, startEmbeddedPostgres } from '@workly/db/embedded'
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
import { fill, type Size } from './fill.ts'

const MIGRATIONS = fileURLToPath(new URL('../../../prisma/migrations', import.meta.url))
/** Filling is not measured, so it waits for no disk; what is measured afterwards only reads. */
const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_wal_size: '8GB',
  maintenance_work_mem: '512MB',
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
  readonly #dataDir: string
  readonly #isKept: boolean
  readonly #end: () => Promise<unknown>

  private constructor(
    dataDir: string,
    isKept: boolean,
    postgres: EmbeddedPostgres,
    services: Services,
    projects: ProjectContext[],
    end: () => Promise<unknown>,
  ) {
    this.#dataDir = dataDir
    this.#isKept = isKept
    this.postgres = postgres
    this.services = services
    this.projects = projects
    this.#end = end
  }

  /** @param kept a folder to make it in and leave it, or to find it in when it was made there with the same size */
  static async open(size: Size, kept: string | undefined): Promise<Store> {
    const dataDir = kept ?? mkdtempSync(join(tmpdir(), 'workly-bench-'))
    mkdirSync(dataDir, { recursive: true })
    chmodSync(dataDir, 0o755)
    const mark = join(dataDir, 'size.json')
    const isThere = existsSync(mark) && readFileSync(mark, 'utf8') === JSON.stringify(size)
    if (!isThere) await removeEmbeddedPostgres(dataDir)
    const postgres = await startEmbeddedPostgres({ dataDir, settings: SETTINGS })
    const { services, end } = openServices(postgres.url)
    const { sql } = services
    try {
      await prepare(postgres.url)
      if (!isThere) {
        await makeProjects(services)
        await fill(sql, size)
        writeFileSync(mark, JSON.stringify(size))
      }
      const projects = await readProjects(services, sql)
      return new Store(dataDir, kept !== undefined, postgres, services, projects, end)
    } catch (error) {
      await end()
      await removeEmbeddedPostgres(dataDir)
      throw error
    }
  }

  /** Another database on the same server, of its own size. */
  async beside(name: string, size: Size): Promise<{ services: Services; end: () => Promise<unknown> }> {
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
    await this.#end()
    if (this.#isKept) await this.postgres.stop()
    else await removeEmbeddedPostgres(this.#dataDir)
  }
}

/** The tables of Workly and of its queue. */
async function prepare(url: string): Promise<void> {
  await migrate(url, MIGRATIONS)
  await runMigrations({ connectionString: url, logger: new Logger(() => () => undefined) })
}

function openServices(url: string): { services: Services; end: () => Promise<unknown> } {
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
  return { services, end: () => Promise.all([sql.end({ timeout: 5 }), prisma.$disconnect()]) }
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
