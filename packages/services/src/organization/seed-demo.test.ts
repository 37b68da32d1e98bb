import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { auditRows, openServices, type TestServices } from '../../test/tenants.ts'
import { authenticateApiKey } from '../api-key/authenticate.ts'
import { newApiKeyText } from '../api-key/key-text.ts'
import { revokeApiKey } from '../api-key/revoke-api-key.ts'
import { consoleContext } from '../session/console-context.ts'
import { liveSigningSecrets } from '../signing-secret/live-signing-secrets.ts'
import { changePassword } from '../user/change-password.ts'
import { verifyPassword } from '../user/verify-password.ts'
import { getOrganization } from './get-organization.ts'
import { seedDemo } from './seed-demo.ts'

// A hash at its full cost takes its time on a busy machine, and these tests make many.
vi.mock('../user/password-cost.ts', () => ({ PASSWORD_COST: { log2N: 10, r: 8, p: 1 } }))

let t: TestServices
const seed = { email: 'demo@localhost', password: 'of the credentials file' }
beforeEach(async () => {
  t = await openServices()
})
afterEach(() => t.drop())

test('it makes a user, an organization, a project, a signing secret and a key that all work', async () => {
  const apiKey = newApiKeyText(t.now())
  const demo = await seedDemo(t.services, { ...seed, apiKey })
  expect(demo).toMatchObject({ apiKey, apiKeyLive: true, passwordFits: true })
  const user = await verifyPassword(t.services, seed.email, seed.password)
  expect(user?.id).toBe(demo.userId)
  const ctx = await consoleContext(t.services, { userId: demo.userId, epoch: 0 }, 'demo', 'demo', null)
  expect(ctx).toMatchObject({
    organizationId: demo.organizationId,
    projectId: demo.projectId,
    actor: { role: 'owner' },
  })
  expect(await authenticateApiKey(t.services, apiKey, null)).toMatchObject({
    organizationId: demo.organizationId,
    projectId: demo.projectId,
    actor: { scope: 'write' },
  })
  const live = await liveSigningSecrets(t.services, t.sql, [demo.projectId], t.now())
  expect(live.get(demo.projectId)).toEqual([demo.signingSecret])
  expect((await getOrganization(ctx)).limits.shortest_interval_seconds).toBe(1)
  const audit = await auditRows(t.sql, demo.organizationId)
  expect(audit.map(line => line.action).sort()).toEqual([
    'api_key.create',
    'organization.create',
    'project.create',
  ])
  expect(audit.every(line => line.actor_name === 'seed')).toBe(true)
  const log = JSON.stringify(audit)
  for (const secret of [apiKey.slice(30), demo.signingSecret ?? 'none', seed.password])
    expect(log).not.toContain(secret)
})

test('a second start changes nothing', async () => {
  const apiKey = newApiKeyText(t.now())
  const first = await seedDemo(t.services, { ...seed, apiKey })
  const second = await seedDemo(t.services, { ...seed, apiKey })
  expect(second).toEqual({ ...first, signingSecret: null })
  expect(await auditRows(t.sql, first.organizationId)).toHaveLength(3)
})

test('starts at once seed once', async () => {
  const apiKey = newApiKeyText(t.now())
  const demos = await Promise.all(Array.from({ length: 4 }, () => seedDemo(t.services, { ...seed, apiKey })))
  expect(new Set(demos.map(demo => demo.projectId)).size).toBe(1)
  expect(demos.filter(demo => demo.signingSecret !== null)).toHaveLength(1)
  expect(await auditRows(t.sql, demos[0]?.organizationId ?? '')).toHaveLength(3)
})

test('without a key given it makes one, once', async () => {
  const first = await seedDemo(t.services, seed)
  expect(await authenticateApiKey(t.services, first.apiKey ?? '', null)).toMatchObject({
    projectId: first.projectId,
  })
  expect(await seedDemo(t.services, seed)).toMatchObject({ apiKey: null, projectId: first.projectId })
})

test('another key given is added, beside the first', async () => {
  const [one, two] = [newApiKeyText(t.now()), newApiKeyText(t.now())]
  await seedDemo(t.services, { ...seed, apiKey: one })
  await seedDemo(t.services, { ...seed, apiKey: two })
  await authenticateApiKey(t.services, one, null)
  await authenticateApiKey(t.services, two, null)
})

test('what a person has changed since stays, and is told', async () => {
  const apiKey = newApiKeyText(t.now())
  const demo = await seedDemo(t.services, { ...seed, apiKey })
  await changePassword(t.services, demo.userId, {
    current_password: seed.password,
    new_password: 'of my own choice',
  })
  const ctx = await consoleContext(t.services, { userId: demo.userId, epoch: 1 }, 'demo', 'demo', null)
  const { actor } = await authenticateApiKey(t.services, apiKey, null)
  await revokeApiKey(ctx, actor.kind === 'apiKey' ? actor.id : '')
  expect(await seedDemo(t.services, { ...seed, apiKey })).toMatchObject({
    passwordFits: false,
    apiKeyLive: false,
  })
  expect(await verifyPassword(t.services, seed.email, 'of my own choice')).not.toBeNull()
  await expect(authenticateApiKey({ ...t.services }, apiKey, null)).rejects.toMatchObject({
    code: 'unauthorized',
  })
})

test('a key of another’s id, a text that is no key and a weak password are refused', async () => {
  const apiKey = newApiKeyText(t.now())
  await seedDemo(t.services, { ...seed, apiKey })
  const forged = `${apiKey.slice(0, -43)}${newApiKeyText(t.now()).slice(-43)}`
  await expect(seedDemo(t.services, { ...seed, apiKey: forged })).rejects.toMatchObject({ code: 'conflict' })
  await expect(seedDemo(t.services, { ...seed, apiKey: 'secret' })).rejects.toMatchObject({
    issues: [{ field: 'api_key' }],
  })
  await expect(seedDemo(t.services, { ...seed, password: 'weak' })).rejects.toMatchObject({
    issues: [{ field: 'password' }],
  })
})
