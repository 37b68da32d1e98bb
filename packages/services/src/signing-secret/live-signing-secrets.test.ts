import { randomBytes } from 'node:crypto'
import type { Sql } from '@workly/db'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTenant, openServices, type TestServices } from '../../test/tenants.ts'
import { readEncryptionKeys } from '../encryption.ts'
import { createSigningSecret } from './create-signing-secret.ts'
import { listSigningSecrets } from './list-signing-secrets.ts'
import { liveSigningSecrets } from './live-signing-secrets.ts'

let t: TestServices
beforeAll(async () => {
  t = await openServices()
})
afterAll(() => t.drop())

const after = (ms: number) => new Date(t.now().getTime() + ms)

/** A database that nobody may ask. */
const noDatabase = (() => {
  throw new Error('asked')
}) as unknown as Sql

test('many projects are read at once, each with its own, and one that is not there has none', async () => {
  const [one, two] = [await makeTenant(t.services), await makeTenant(t.services)]
  const newest = await createSigningSecret(two.as('owner'))
  const live = await liveSigningSecrets(
    t.services,
    t.sql,
    [one.projectId, two.projectId, 'prj_x', one.projectId],
    t.now(),
  )
  expect([...live.keys()]).toEqual([one.projectId, two.projectId, 'prj_x'])
  expect(live.get(one.projectId)).toHaveLength(1)
  expect(live.get(two.projectId)).toHaveLength(2)
  expect(live.get(two.projectId)?.[0]).toBe(newest.secret)
  expect(live.get('prj_x')).toEqual([])
})

test('what was read is kept for 3 s, and a secret’s own end is minded within them', async () => {
  const { projectId, as } = await makeTenant(t.services)
  await t.sql`update signing_secrets set expires_at = ${after(1_000)} where project_id = ${projectId}`
  const { secret } = await createSigningSecret(as('owner'))
  const services = { ...t.services }
  const read = async (sql: Sql, at: Date) =>
    (await liveSigningSecrets(services, sql, [projectId], at)).get(projectId)
  expect(await read(t.sql, after(0))).toHaveLength(2)
  const added = await createSigningSecret(as('owner'))
  expect(await read(noDatabase, after(999))).toHaveLength(2)
  expect(await read(noDatabase, after(1_000))).toEqual([secret])
  expect(await read(noDatabase, after(2_999))).toEqual([secret])
  await expect(read(noDatabase, after(3_000))).rejects.toThrow('asked')
  expect(await read(t.sql, after(3_000))).toEqual([added.secret, secret])
  // A clock that went back.
  await expect(read(noDatabase, after(-1))).rejects.toThrow('asked')
})

test('a secret whose encryption key is gone is told of and keeps nobody else’s back', async () => {
  const [one, two] = [await makeTenant(t.services), await makeTenant(t.services)]
  const other = readEncryptionKeys(`other:${randomBytes(32).toString('base64')}`)
  const unreadable = await createSigningSecret({
    ...one.as('owner'),
    services: { ...t.services, encryption: other },
  })
  const told: string[] = []
  const live = await liveSigningSecrets(
    { ...t.services },
    t.sql,
    [one.projectId, two.projectId],
    t.now(),
    id => told.push(id),
  )
  expect(told).toEqual([unreadable.signing_secret.id])
  expect(live.get(one.projectId)).toHaveLength(1)
  expect(live.get(two.projectId)).toHaveLength(1)
})

test('a ciphertext that was moved to another row is not read', async () => {
  const { projectId, as } = await makeTenant(t.services)
  const made = await createSigningSecret(as('owner'))
  const [newest, first] = await listSigningSecrets(as('owner'))
  await t.sql`
    update signing_secrets set ciphertext = (select ciphertext from signing_secrets where id = ${newest?.id ?? ''})
    where id = ${first?.id ?? ''}`
  const told: string[] = []
  const live = await liveSigningSecrets({ ...t.services }, t.sql, [projectId], t.now(), id => told.push(id))
  expect(told).toEqual([first?.id])
  expect(live.get(projectId)).toEqual([made.secret])
})
