import { createSql } from '@workly/db'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { HOUR_MS, makeTenant, openServices, type Tenant, type TestServices } from '../../test/tenants.ts'
import type { Services } from '../context.ts'
import { deleteProject } from '../project/delete-project.ts'
import { wireInstant } from '../wire-instant.ts'
import { authenticateApiKey } from './authenticate.ts'
import { createApiKey } from './create-api-key.ts'
import { matchesSecret, newApiKeyText } from './key-text.ts'
import { revokeApiKey } from './revoke-api-key.ts'

vi.mock('./key-text.ts', { spy: true })

let t: TestServices
let tenant: Tenant
beforeAll(async () => {
  t = await openServices()
  tenant = await makeTenant(t.services)
})
beforeEach(() => {
  vi.mocked(matchesSecret).mockClear()
})
afterAll(() => t.drop())

const make = (input: object = {}) => createApiKey(tenant.as('owner'), { name: 'CI', scope: 'run', ...input })
const failure = (key: string) =>
  authenticateApiKey(t.services, key, null).then(
    () => 'let in',
    (error: unknown) => error,
  )
const comparisons = () => vi.mocked(matchesSecret).mock.calls.length

test('a key lets its project in with its scope', async () => {
  const { api_key, key } = await make()
  expect(await authenticateApiKey(t.services, key, 'rqs_1')).toEqual({
    services: t.services,
    organizationId: tenant.organizationId,
    projectId: tenant.projectId,
    actor: { kind: 'apiKey', id: api_key.id, name: 'CI', scope: 'run' },
    requestId: 'rqs_1',
  })
})

test('an unknown id and a wrong secret get the same answer after the same comparisons, each time anew', async () => {
  const { key } = await make()
  await authenticateApiKey(t.services, key, null)
  vi.mocked(matchesSecret).mockClear()
  const wrong = `${key.slice(0, -43)}${newApiKeyText(t.now()).slice(-43)}`
  const unknown = newApiKeyText(t.now())
  const refusals: unknown[] = []
  for (const text of [wrong, unknown, wrong, unknown]) {
    const before = comparisons()
    refusals.push(await failure(text))
    expect(comparisons() - before).toBe(1)
  }
  for (const refusal of refusals) {
    expect(refusal).toMatchObject({ code: 'unauthorized', message: 'The API key is not valid.' })
  }
})

test.each([
  '',
  'wk_',
  'Bearer wk_x',
  `wk_${'0'.repeat(26)}_${'a'.repeat(42)}`,
  'wk_\u0000',
  `${'x'.repeat(1e6)}`,
])('a text that is no key is refused', async text => {
  expect(await failure(text)).toMatchObject({ code: 'unauthorized' })
})

test('a busy key is asked for once, and a revoked one is soon out', async () => {
  const { api_key, key } = await make()
  const services = { ...t.services, sql: t.services.sql }
  for (let call = 0; call < 20; call++) await authenticateApiKey(services, key, null)
  expect(comparisons()).toBeLessThan(20)
  await revokeApiKey(tenant.as('owner'), api_key.id)
  await vi.waitFor(
    async () => {
      const refusal = authenticateApiKey(services, key, null)
      await expect(refusal).rejects.toMatchObject({
        code: 'unauthorized',
        message: 'The API key was revoked.',
      })
    },
    { timeout: 20_000 },
  )
})

test('a key is out from the instant it expires', async () => {
  const { key } = await make({ expires_at: new Date(t.now().getTime() + HOUR_MS).toISOString() })
  t.advance(HOUR_MS - 500)
  await authenticateApiKey(t.services, key, null)
  t.advance(500)
  expect(await failure(key)).toMatchObject({
    code: 'unauthorized',
    message: `The API key expired at ${wireInstant(t.now())}.`,
  })
})

test('why a key is refused is told to its holder only', async () => {
  const { api_key, key } = await make()
  await revokeApiKey(tenant.as('owner'), api_key.id)
  const wrong = `${key.slice(0, -43)}${newApiKeyText(t.now()).slice(-43)}`
  expect(await failure(wrong)).toMatchObject({ message: 'The API key is not valid.' })
})

test('the keys of a deleted project and of a deleted organization are refused', async () => {
  const gone = await makeTenant(t.services)
  const { key } = await createApiKey(gone.as('owner'), { name: 'CI', scope: 'read' })
  await deleteProject(gone.as('owner'))
  expect(await failure(key)).toMatchObject({ code: 'unauthorized' })
  const { organizationId } = await makeTenant(t.services)
  const [project] = await t.sql<
    { id: string }[]
  >`select id from projects where organization_id = ${organizationId}`
  const inside = { ...gone.as('owner'), organizationId, projectId: project?.id ?? '' }
  const second = await createApiKey(inside, { name: 'CI', scope: 'read' })
  await t.sql`update organizations set deleted_at = now() where id = ${organizationId}`
  expect(await failure(second.key)).toMatchObject({ code: 'unauthorized' })
})

test('when a key was last used is written once a minute, and a failing write keeps nobody out', async () => {
  // One connection: what is sent later is answered later, so a read sees every write before it.
  const sql = createSql(t.url, { max: 1, name: 'one at a time' })
  const { api_key, key } = await make()
  const lastUsed = async () => {
    const [row] = await sql<
      { at: Date | null }[]
    >`select last_used_at as at from api_keys where id = ${api_key.id}`
    return row?.at ?? null
  }
  // A new copy of the services knows no key yet.
  const use = () => authenticateApiKey({ ...t.services, sql }, key, null)
  await use()
  const first = t.now()
  expect(await lastUsed()).toEqual(first)
  t.advance(59_999)
  await use()
  expect(await lastUsed()).toEqual(first)
  t.advance(1)
  await use()
  expect(await lastUsed()).toEqual(t.now())

  t.advance(HOUR_MS)
  await sql`create function refuse() returns trigger language plpgsql as $$ begin raise 'full'; end $$`
  await sql`create trigger refuse before update on api_keys for each row execute function refuse()`
  const ctx = await use()
  expect(ctx.actor).toMatchObject({ id: api_key.id })
  await sql`drop trigger refuse on api_keys`
  expect(await lastUsed()).toEqual(new Date(t.now().getTime() - HOUR_MS))
  await sql.end()
})

test('nobody waits for that write', async () => {
  const { key } = await make()
  const sql = createSql(t.url, { max: 2, name: 'not waiting' })
  const services: Services = { ...t.services, sql }
  let release = () => {}
  const held = new Promise<void>(resolve => {
    release = resolve
  })
  // Held for as long as the call is going: were the write awaited, the call would never answer.
  const locked = Promise.withResolvers<void>()
  const holder = t.sql.begin(async tx => {
    await tx`select id from api_keys for update`
    locked.resolve()
    await held
  })
  await locked.promise
  await authenticateApiKey(services, key, null)
  release()
  await holder
  await sql.end()
})
