import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createPrisma } from '@workly/db'
import { createTestDatabase } from '@workly/db/testing'
import {
  createApiKey,
  createSigningSecret,
  freshId,
  LIMIT_DEFAULTS,
  type ProjectContext,
  readEncryptionKeys,
  type Scope,
  type Services,
} from '@workly/services'
import { pino } from 'pino'
import { type ApiDeps, createApi, createListener } from '../src/app.ts'

/** A project with a key of each scope. */
export interface TestTenant {
  ctx: ProjectContext
  keys: Record<Scope, string>
}

export interface TestApi {
  services: Services
  app: ReturnType<typeof createApi>
  /** The project that calls are made in unless another key is given. */
  own: TestTenant
  /** Another organization's. */
  foreign: TestTenant
  /** One line per log entry. */
  log: string[]
  /** A call with the own project's `write` key; `body` is sent as JSON unless it is text. */
  call(method: string, path: string, options?: CallOptions): Promise<Answered>
  /** An app on the same database, set up otherwise. */
  another(deps: Partial<ApiDeps>): ReturnType<typeof createApi>
  /** The same app and database, with two tenants that have nothing yet. */
  anew(): Promise<TestApi>
  close(): Promise<void>
}

export interface CallOptions {
  body?: unknown
  key?: string | null
  headers?: Record<string, string>
}

export interface Answered {
  status: number
  headers: Headers
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  body: any
}

export const PUBLIC_URL = 'https://workly.test'

/** The real app over a database of its own, with two tenants. */
export async function startTestApi(): Promise<TestApi> {
  const database = await createTestDatabase()
  const prisma = createPrisma(database.url, { max: 2 })
  const services: Services = {
    sql: database.sql,
    prisma,
    encryption: readEncryptionKeys(`k1:${randomBytes(32).toString('base64')}`),
    limits: { ...LIMIT_DEFAULTS },
    allowHttp: false,
    allowedPrivate: [],
  }
  const log: string[] = []
  const logger = pino({ level: 'debug' }, { write: line => void log.push(line) })
  const base: ApiDeps = {
    services,
    version: '0.0.0-test',
    publicUrl: PUBLIC_URL,
    logger,
    makeCall: () => Promise.reject(new Error('this test makes no calls')),
    // Tests of other things than the rate are not to be held up by it.
    limits: {
      rate: { perSecond: 100_000, burst: 100_000 },
      unauthorized: { perSecond: 100_000, burst: 100_000 },
    },
  }
  const app = createApi(base)
  let pairs = 0
  async function withTenants(): Promise<TestApi> {
    const more = pairs++ === 0 ? '' : `-${pairs}`
    const own = await makeTenant(services, `own${more}`)
    const foreign = await makeTenant(services, `foreign${more}`)
    return {
      services,
      app,
      own,
      foreign,
      log,
      call: (method, path, options = {}) => callApp(app, method, path, { key: own.keys.write, ...options }),
      another: deps => createApi({ ...base, ...deps }),
      anew: withTenants,
      async close() {
        await prisma.$disconnect()
        await database.drop()
      },
    }
  }
  return withTenants()
}

export async function callApp(
  app: TestApi['app'],
  method: string,
  path: string,
  { body, key, headers = {} }: CallOptions,
): Promise<Answered> {
  const response = await app.request(`http://workly.test${path}`, {
    method,
    headers: { ...(key && { Authorization: `Bearer ${key}` }), ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  const isJson = text !== '' && /json/.test(response.headers.get('content-type') ?? '')
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : text }
}

async function makeTenant(services: Services, slug: string): Promise<TestTenant> {
  const at = new Date()
  const organizationId = freshId('organization', at)
  const projectId = freshId('project', at)
  const { sql } = services
  await sql`insert into organizations (id, slug, name) values (${organizationId}, ${slug}, ${slug})`
  await sql`
    insert into projects (id, organization_id, slug, name) values (${projectId}, ${organizationId}, ${slug}, ${slug})`
  const ctx: ProjectContext = {
    services,
    organizationId,
    projectId,
    actor: { kind: 'system', name: 'test' },
    requestId: null,
  }
  await createSigningSecret(ctx)
  const key = async (scope: Scope) => (await createApiKey(ctx, { name: `${slug} ${scope}`, scope })).key
  return { ctx, keys: { read: await key('read'), run: await key('run'), write: await key('write') } }
}

/** The app on a socket of loopback. */
export async function listen(
  app: TestApi['app'],
): Promise<{ url: string; port: number; close(): Promise<void> }> {
  const server = createServer(createListener(app, { publicUrl: PUBLIC_URL, replaceGlobals: false }))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

/** What a nightly job is set to, for tests that need any job. */
export const NIGHTLY = { cron: '0 3 * * *', url: 'https://api.example.com/nightly' }
