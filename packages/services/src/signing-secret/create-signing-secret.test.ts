import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  ADMINS,
  auditRows,
  makeTenant,
  openServices,
  type Tenant,
  type TestServices,
  whoMay,
} from '../../test/tenants.ts'
import { createSigningSecret } from './create-signing-secret.ts'
import { listSigningSecrets } from './list-signing-secrets.ts'
import { liveSigningSecrets } from './live-signing-secrets.ts'

let t: TestServices
let tenant: Tenant
beforeAll(async () => {
  t = await openServices()
  tenant = await makeTenant(t.services)
})
afterAll(() => t.drop())

test('a secret is shown once, stored encrypted, and signs beside those before it', async () => {
  const mine = await makeTenant(t.services)
  t.advance(1)
  const { secret, signing_secret } = await createSigningSecret(mine.as('admin'))
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(signing_secret).toMatchObject({ id: expect.stringMatching(/^sgn_/), expires_at: null, live: true })
  const listed = await listSigningSecrets(mine.as('admin'))
  expect(listed).toHaveLength(2)
  expect(listed[0]).toEqual(signing_secret)
  const live = await liveSigningSecrets(t.services, t.sql, [mine.projectId], t.now())
  expect(live.get(mine.projectId)).toEqual([secret, expect.stringMatching(/^whsec_/)])
  const [row] = await t.sql<{ ciphertext: Buffer }[]>`
    select ciphertext from signing_secrets where id = ${signing_secret.id}`
  expect(row?.ciphertext.includes(secret.slice(6))).toBe(false)
  const audit = await auditRows(t.sql, mine.organizationId)
  expect(audit.at(-1)).toMatchObject({ action: 'signing_secret.create', subject_id: signing_secret.id })
  const log = JSON.stringify(audit)
  expect(log).not.toContain('whsec_')
  expect(log).not.toContain(secret.slice(6))
})

test('a project has at most ten live secrets, however many ask at once', async () => {
  const mine = await makeTenant(t.services)
  const results = await Promise.allSettled(
    Array.from({ length: 12 }, () => createSigningSecret(mine.as('owner'))),
  )
  const refused = results.filter(r => r.status === 'rejected')
  expect(refused).toHaveLength(3)
  for (const { reason } of refused) expect(reason).toMatchObject({ code: 'limit_reached' })
  expect((await listSigningSecrets(mine.as('owner'))).filter(s => s.live)).toHaveLength(10)
})

test('only admins and owners make and see them; no key does', async () => {
  expect(await whoMay(tenant, createSigningSecret)).toEqual(ADMINS)
  expect(await whoMay(tenant, listSigningSecrets)).toEqual(ADMINS)
})

test('another tenant’s project is not found', async () => {
  const other = await makeTenant(t.services)
  const foreign = { ...tenant.as('owner'), projectId: other.projectId }
  await expect(createSigningSecret(foreign)).rejects.toMatchObject({ code: 'not_found' })
  expect(await listSigningSecrets(foreign)).toEqual([])
})
