import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  ADMINS,
  auditRows,
  DAY_MS,
  HOUR_MS,
  makeTenant,
  openServices,
  type Tenant,
  type TestServices,
  whoMay,
} from '../../test/tenants.ts'
import { wireInstant } from '../wire-instant.ts'
import { expireSigningSecret } from './expire-signing-secret.ts'
import { listSigningSecrets } from './list-signing-secrets.ts'
import { liveSigningSecrets } from './live-signing-secrets.ts'
import { rotateSigningSecret } from './rotate-signing-secret.ts'

let t: TestServices
let tenant: Tenant
beforeAll(async () => {
  t = await openServices()
  tenant = await makeTenant(t.services)
})
afterAll(() => t.drop())

/** Read by services that have kept nothing. */
async function liveOf(mine: Tenant): Promise<string[]> {
  const live = await liveSigningSecrets({ ...t.services }, t.sql, [mine.projectId], t.now())
  return live.get(mine.projectId) ?? []
}

test('a rotated secret signs behind the new one for 24 hours and no longer', async () => {
  const mine = await makeTenant(t.services)
  const [first] = await liveOf(mine)
  const second = await rotateSigningSecret(mine.as('admin'))
  expect(await liveOf(mine)).toEqual([second.secret, first])
  t.advance(DAY_MS - 1)
  expect(await liveOf(mine)).toEqual([second.secret, first])
  t.advance(1)
  expect(await liveOf(mine)).toEqual([second.secret])
  expect((await listSigningSecrets(mine.as('admin'))).map(s => s.live)).toEqual([true, false])
})

test('another rotation does not lengthen what a first one left', async () => {
  const mine = await makeTenant(t.services)
  const second = await rotateSigningSecret(mine.as('admin'))
  const firstEnds = t.now().getTime() + DAY_MS
  t.advance(HOUR_MS)
  await rotateSigningSecret(mine.as('admin'))
  const ends = (await listSigningSecrets(mine.as('admin'))).map(s => s.expires_at)
  expect(ends).toEqual([null, wireInstant(new Date(firstEnds + HOUR_MS)), wireInstant(new Date(firstEnds))])
  const audit = await auditRows(t.sql, mine.organizationId)
  expect(audit.at(-1)).toMatchObject({
    action: 'signing_secret.rotate',
    before: { ids: [second.signing_secret.id], live_until: ends[1] },
  })
  expect(JSON.stringify(audit)).not.toContain('whsec_')
})

test('rotations at once and within a millisecond still have an order', async () => {
  const mine = await makeTenant(t.services)
  await Promise.all(Array.from({ length: 4 }, () => rotateSigningSecret(mine.as('owner'))))
  const listed = await listSigningSecrets(mine.as('owner'))
  expect(new Set(listed.map(s => s.created_at)).size).toBe(5)
  expect(listed.map(s => s.expires_at === null)).toEqual([true, false, false, false, false])
})

test('a secret can be ended sooner, once, but never the last live one', async () => {
  const mine = await makeTenant(t.services)
  const second = await rotateSigningSecret(mine.as('admin'))
  const [, first] = await listSigningSecrets(mine.as('admin'))
  const ended = await expireSigningSecret(mine.as('admin'), first?.id ?? '')
  expect(ended).toMatchObject({ id: first?.id, live: false, expires_at: wireInstant(t.now()) })
  expect(await liveOf(mine)).toEqual([second.secret])
  t.advance(HOUR_MS)
  expect(await expireSigningSecret(mine.as('admin'), ended.id)).toEqual(ended)
  await expect(expireSigningSecret(mine.as('admin'), second.signing_secret.id)).rejects.toMatchObject({
    code: 'conflict',
  })
  expect(await liveOf(mine)).toEqual([second.secret])
  const actions = (await auditRows(t.sql, mine.organizationId)).map(line => line.action)
  expect(actions.filter(action => action === 'signing_secret.expire')).toHaveLength(1)
})

test('of the last two live secrets ended at once one stays', async () => {
  const mine = await makeTenant(t.services)
  await rotateSigningSecret(mine.as('admin'))
  const ids = (await listSigningSecrets(mine.as('admin'))).map(s => s.id)
  const results = await Promise.allSettled(ids.map(id => expireSigningSecret(mine.as('admin'), id)))
  expect(results.map(r => r.status).sort()).toEqual(['fulfilled', 'rejected'])
  expect(await liveOf(mine)).toHaveLength(1)
})

test('only admins and owners rotate and end secrets; no key does', async () => {
  const mine = await makeTenant(t.services)
  expect(await whoMay(mine, rotateSigningSecret)).toEqual(ADMINS)
  const [, old] = await listSigningSecrets(mine.as('admin'))
  expect(await whoMay(mine, ctx => expireSigningSecret(ctx, old?.id ?? ''))).toEqual(ADMINS)
})

test('another tenant’s secret and project are not found', async () => {
  const other = await makeTenant(t.services)
  const [foreign] = await listSigningSecrets(other.as('owner'))
  await expect(expireSigningSecret(tenant.as('owner'), foreign?.id ?? '')).rejects.toMatchObject({
    code: 'not_found',
  })
  await expect(expireSigningSecret(tenant.as('owner'), 'sgn_x')).rejects.toMatchObject({ code: 'not_found' })
  const elsewhere = { ...tenant.as('owner'), projectId: other.projectId }
  await expect(rotateSigningSecret(elsewhere)).rejects.toMatchObject({ code: 'not_found' })
})
