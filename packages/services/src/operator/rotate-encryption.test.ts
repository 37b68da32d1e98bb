import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Desk, openDesk } from '../../test/job-desk.ts'
import { fresh } from '../../test/tenants.ts'
import { SecretValues } from '../attempt/secret-values.ts'
import type { Services } from '../context.ts'
import { readEncryptionKeys } from '../encryption.ts'
import { putJob } from '../job/put-job.ts'
import { createSigningSecret } from '../signing-secret/create-signing-secret.ts'
import { liveSigningSecrets } from '../signing-secret/live-signing-secrets.ts'
import { rotateEncryption } from './rotate-encryption.ts'

const key = (id: string) => `${id}:${randomBytes(32).toString('base64')}`
const [k1, k2, k3] = [key('k1'), key('k2'), key('k3')]

let desk: Desk
beforeAll(async () => {
  desk = await openDesk()
})
afterAll(() => desk?.drop())
beforeEach(async () => {
  for (const table of ['signing_secrets', 'secret_values', 'alert_channels']) {
    await desk.sql`delete from ${desk.sql(table)}`
  }
})

const withKeys = (...keys: string[]): Services => ({
  ...desk.services,
  encryption: readEncryptionKeys(keys.join(',')),
})

/** A signing secret, and jobs with a secret header each. */
async function storeSecrets(
  services: Services,
  jobs: number,
): Promise<{ signing: string; values: string[] }> {
  const ctx = { ...desk.ctx, services }
  const { secret } = await createSigningSecret(ctx)
  const values: string[] = []
  for (let i = 0; i < jobs; i++) {
    const value = fresh('value')
    values.push(value)
    await putJob(ctx, fresh('job'), {
      cron: '0 3 * * *',
      url: 'https://target.example/',
      headers: { 'X-Key': { secret: value } },
    })
  }
  return { signing: secret, values }
}

async function readSecrets(services: Services): Promise<{ signing: string[]; values: string[] }> {
  const rows = await desk.sql<{ id: string }[]>`select id from secret_values order by id`
  const requests = rows.map(row => ({ kind: 'http', headers: { a: { secret_value: row.id } } }) as never)
  const live = await liveSigningSecrets(services, services.sql, [desk.ctx.projectId], desk.now())
  return {
    signing: live.get(desk.ctx.projectId) ?? [],
    values: [...(await new SecretValues(services).of(requests)).values()],
  }
}

const keyIds = async () =>
  (
    await desk.sql<{ id: string }[]>`
      select encryption_key_id as id from signing_secrets union select encryption_key_id from secret_values`
  ).map(row => row.id)

test('every secret is encrypted anew with the newest key; the old one is no longer needed', async () => {
  const stored = await storeSecrets(withKeys(k1), 3)
  expect(await rotateEncryption(withKeys(k2, k1))).toEqual({
    keyId: 'k2',
    rotated: 4,
    unreadable: [],
    awaited: [],
  })
  expect(await keyIds()).toEqual(['k2'])
  expect(await readSecrets(withKeys(k2))).toEqual({ signing: [stored.signing], values: stored.values })
  expect(await rotateEncryption(withKeys(k2))).toMatchObject({ rotated: 0 })
})

test('secrets of several older keys all come to the newest', async () => {
  const first = await storeSecrets(withKeys(k1), 1)
  const second = await storeSecrets(withKeys(k2, k1), 1)
  await rotateEncryption(withKeys(k3, k2, k1))
  const { values } = await readSecrets(withKeys(k3))
  expect(values).toEqual([...first.values, ...second.values])
})

test('a rotation that was stopped in the middle goes on where it was; meanwhile all can be read', async () => {
  const stored = await storeSecrets(withKeys(k1), 1)
  const services = withKeys(k1)
  // More than a batch.
  const [like] = await desk.sql<{ job_id: string }[]>`select job_id from secret_values`
  const many = Array.from({ length: 450 }, (_, i) => `sec_${String(i).padStart(26, '0')}`)
  for (const id of many) {
    const { ciphertext, keyId } = services.encryption.encrypt(`plain of ${id}`, id)
    await desk.sql`
      insert into secret_values (id, organization_id, job_id, ciphertext, encryption_key_id, created_at)
      values (${id}, ${desk.ctx.organizationId}, ${like?.job_id ?? ''}, ${ciphertext}, ${keyId}, ${desk.now()})`
  }
  const stopped = rotateEncryption(withKeys(k2, k1), rotated => {
    if (rotated > 200) throw new Error('killed')
  })
  await expect(stopped).rejects.toThrow('killed')
  expect((await keyIds()).sort()).toEqual(['k1', 'k2'])
  const all = [...many.map(id => `plain of ${id}`), ...stored.values]
  expect((await readSecrets(withKeys(k2, k1))).values.sort()).toEqual([...all].sort())
  expect((await rotateEncryption(withKeys(k2, k1))).rotated).toBe(452 - 201)
  expect((await readSecrets(withKeys(k2))).values.sort()).toEqual([...all].sort())
})

test('a secret whose key is missing is left as it is and told, without what it holds; the others are done', async () => {
  await storeSecrets(withKeys(k1), 1)
  const readable = await storeSecrets(withKeys(k2), 1)
  const rotation = await rotateEncryption(withKeys(k3, k2))
  expect(rotation).toMatchObject({ rotated: 2, keyId: 'k3' })
  expect(rotation.unreadable.map(secret => [secret.table, secret.keyId])).toEqual([
    ['signing_secrets', 'k1'],
    ['secret_values', 'k1'],
  ])
  expect(rotation.unreadable[0]?.reason).toContain('no encryption key k1')
  expect((await readSecrets(withKeys(k3, k1))).values).toContain(readable.values[0])
})

test('a ciphertext that was moved to another row is not taken over', async () => {
  await storeSecrets(withKeys(k1), 2)
  await desk.sql`
    update secret_values set ciphertext = (select ciphertext from secret_values order by id limit 1)
    where id = (select max(id) from secret_values)`
  const rotation = await rotateEncryption(withKeys(k2, k1))
  expect(rotation.rotated).toBe(2)
  expect(rotation.unreadable).toHaveLength(1)
})

test('channels of alerts are encrypted anew too, those without a secret left alone', async () => {
  const { encryption } = withKeys(k1)
  const channel = (id: string) => ({
    id,
    organization_id: desk.ctx.organizationId,
    name: id,
    kind: 'webhook',
    config: {},
    created_at: desk.now(),
  })
  const sealed = encryption.encrypt('https://hooks.example/x', 'chn_sealed')
  await desk.sql`
    insert into alert_channels ${desk.sql({ ...channel('chn_sealed'), ciphertext: sealed.ciphertext, encryption_key_id: 'k1' })}`
  await desk.sql`insert into alert_channels ${desk.sql(channel('chn_open'))}`
  expect(await rotateEncryption(withKeys(k2, k1))).toMatchObject({ rotated: 1, unreadable: [] })
  const [row] = await desk.sql<{ ciphertext: Buffer; encryption_key_id: string }[]>`
    select ciphertext, encryption_key_id from alert_channels where id = 'chn_sealed'`
  expect(row?.encryption_key_id).toBe('k2')
  expect(withKeys(k2).encryption.decrypt(row?.ciphertext ?? Buffer.alloc(0), 'k2', 'chn_sealed')).toBe(
    'https://hooks.example/x',
  )
})

test('keys by which callbacks are still waited for are told', async () => {
  const { sql } = desk
  const services = withKeys(k1)
  const name = fresh('job')
  await putJob({ ...desk.ctx, services }, name, { cron: '0 3 * * *', url: 'https://target.example/' })
  await sql`
    insert into runs (id, organization_id, project_id, job_id, request_version_id, trigger, scheduled_for, state,
      created_at, started_at, set_going_by, pending_at, host)
    select 'run_waits', organization_id, project_id, id, request_version_id, 'manual', created_at, 'running', created_at,
      created_at, 'manual', created_at, 'target.example' from jobs where name = ${name}`
  await sql`
    insert into attempts (id, organization_id, run_id, number, state, fence, started_at)
    select 'att_waits', organization_id, id, 1, 'waiting', 1, started_at from runs where id = 'run_waits'`
  await sql`
    insert into callback_tokens (attempt_id, organization_id, token_hash, server_key_id, created_at)
    select id, organization_id, '\\x00', 'k1', started_at from attempts where id = 'att_waits'`
  expect((await rotateEncryption(withKeys(k2, k1))).awaited).toEqual([{ keyId: 'k1', waits: 1 }])
  expect((await rotateEncryption(withKeys(k1, k2))).awaited).toEqual([])
})
