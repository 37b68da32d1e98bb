import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  ADMINS,
  auditRows,
  HOUR_MS,
  makeTenant,
  openServices,
  type Tenant,
  type TestServices,
  whoMay,
} from '../../test/tenants.ts'
import { wireInstant } from '../wire-instant.ts'
import { createApiKey } from './create-api-key.ts'
import { listApiKeys } from './list-api-keys.ts'
import { revokeApiKey } from './revoke-api-key.ts'

let t: TestServices
let tenant: Tenant
let other: Tenant
beforeAll(async () => {
  t = await openServices()
  tenant = await makeTenant(t.services)
  other = await makeTenant(t.services)
})
afterAll(() => t.drop())

test('a key is shown once and stored as a hash, and neither is in the audit log', async () => {
  const expires_at = wireInstant(new Date(t.now().getTime() + HOUR_MS))
  const { api_key, key } = await createApiKey(tenant.as('admin'), { name: 'CI', scope: 'run', expires_at })
  expect(key).toMatch(/^wk_[0-9a-z]{26}_[A-Za-z0-9_-]{43}$/)
  expect(api_key).toEqual({
    id: `key_${key.slice(3, 29)}`,
    name: 'CI',
    scope: 'run',
    hint: key.slice(-4),
    created_by: tenant.userOf('admin'),
    created_at: wireInstant(t.now()),
    expires_at,
    last_used_at: null,
    revoked_at: null,
  })
  const [row] = await t.sql<{ secret_hash: Buffer; everything: string }[]>`
    select secret_hash, k::text as everything from api_keys k where id = ${api_key.id}`
  expect(row?.secret_hash).toHaveLength(32)
  expect(row?.everything).not.toContain(key.slice(30))
  const audit = await auditRows(t.sql, tenant.organizationId)
  const entry = audit.find(line => line.action === 'api_key.create')
  expect(entry).toMatchObject({
    subject_id: api_key.id,
    request_id: 'rqs_test',
    after: { name: 'CI', scope: 'run', expires_at },
  })
  const log = JSON.stringify(audit)
  expect(log).not.toContain(key.slice(30))
  expect(log).not.toContain(row?.secret_hash.toString('hex'))
})

test('keys are listed newest first, by their project alone and without hash or secret', async () => {
  const mine = await makeTenant(t.services)
  const older = await createApiKey(mine.as('owner'), { name: 'older', scope: 'read' })
  t.advance(1)
  const newer = await createApiKey(mine.as('owner'), { name: 'newer', scope: 'write' })
  const revoked = await revokeApiKey(mine.as('owner'), older.api_key.id)
  expect(await listApiKeys(mine.as('admin'))).toEqual([newer.api_key, revoked])
})

test('a key is revoked once, and revoking it again changes nothing', async () => {
  const mine = await makeTenant(t.services)
  const { api_key } = await createApiKey(mine.as('owner'), { name: 'CI', scope: 'read' })
  const revoked = await revokeApiKey(mine.as('admin'), api_key.id)
  expect(revoked).toEqual({ ...api_key, revoked_at: wireInstant(t.now()) })
  t.advance(HOUR_MS)
  expect(await revokeApiKey(mine.as('admin'), api_key.id)).toEqual(revoked)
  const audit = await auditRows(t.sql, mine.organizationId)
  expect(audit.filter(line => line.action === 'api_key.revoke')).toHaveLength(1)
})

test('only admins and owners manage keys; no key does', async () => {
  const { api_key } = await createApiKey(tenant.as('owner'), { name: 'CI', scope: 'read' })
  expect(await whoMay(tenant, ctx => createApiKey(ctx, { name: 'CI', scope: 'read' }))).toEqual(ADMINS)
  expect(await whoMay(tenant, listApiKeys)).toEqual(ADMINS)
  expect(await whoMay(tenant, ctx => revokeApiKey(ctx, api_key.id))).toEqual(ADMINS)
})

test('what is another tenant’s is not found', async () => {
  const { api_key } = await createApiKey(other.as('owner'), { name: 'CI', scope: 'read' })
  await expect(revokeApiKey(tenant.as('owner'), api_key.id)).rejects.toMatchObject({ code: 'not_found' })
  await expect(revokeApiKey(tenant.as('owner'), 'key_x')).rejects.toMatchObject({ code: 'not_found' })
  const foreign = { ...tenant.as('owner'), projectId: other.projectId }
  const made = createApiKey(foreign, { name: 'CI', scope: 'read' })
  await expect(made).rejects.toMatchObject({ code: 'not_found' })
  expect(await listApiKeys(foreign)).toEqual([])
})

test('each field that is wrong is named with what is allowed', async () => {
  const create = (input: object) =>
    createApiKey(tenant.as('owner'), { name: 'CI', scope: 'read', ...input }).catch((error: unknown) => error)
  expect(await create({ name: '', scope: 'admin', expires: 1 })).toMatchObject({
    code: 'invalid_request',
    issues: [
      { field: 'name', message: expect.stringContaining('1 to 100 characters') },
      { field: 'scope', message: 'one of read, run, write' },
      { field: 'expires', message: 'is not known here. Did you mean expires_at?' },
    ],
  })
  for (const name of ['x'.repeat(101), 'a\u0000b', '\ud800', ' CI', 'a\nb', 'a\u2028b']) {
    expect(await create({ name })).toHaveProperty('issues[0].field', 'name')
  }
  for (const expires_at of [
    'tomorrow',
    '2027-02-30T00:00:00Z',
    '2028-01-01T00:00:00',
    wireInstant(t.now()),
  ]) {
    expect(await create({ expires_at })).toMatchObject({ issues: [{ field: 'expires_at' }] })
  }
})
