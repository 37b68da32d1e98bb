import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Desk, openDesk } from '../../test/job-desk.ts'
import { PretendWorker } from '../../test/pretend-worker.ts'
import { readEncryptionKeys } from '../encryption.ts'
import { triggerJob } from '../job/trigger-job.ts'
import { callbackToken } from './callback-token.ts'
import { recordCallback } from './record-callback.ts'

let desk: Desk
beforeAll(async () => {
  desk = await openDesk()
})
afterAll(() => desk?.drop())

const [k1, k2] = ['k1', 'k2'].map(id => `${id}:${randomBytes(32).toString('base64')}`)

test('a token is stored as a hash with the id of its key, and made again from them after the keys were rotated', async () => {
  const before = { ...desk.services, encryption: readEncryptionKeys(`${k1}`) }
  const response = { callback: { max_wait_seconds: 60 } }
  const run = await triggerJob({ ...desk.ctx, services: before }, await desk.job({ response }))
  const worker = await PretendWorker.start(before)
  const begun = await worker.take()
  await worker.finish(begun)
  const id = begun[0]?.attempt_id ?? ''
  const { token } = callbackToken(before.encryption, id)
  const [stored] = await desk.sql<{ all: string; token_hash: Buffer; server_key_id: string }[]>`
    select t::text as all, token_hash, server_key_id from callback_tokens t where attempt_id = ${id}`
  expect(stored?.server_key_id).toBe('k1')
  expect(stored?.token_hash.length).toBe(32)
  expect(stored?.all).not.toContain(token)
  expect(stored?.all).not.toContain(Buffer.from(token).toString('hex'))
  expect(stored?.all).not.toContain(Buffer.from(token, 'base64url').toString('hex'))

  const after = { ...desk.services, encryption: readEncryptionKeys(`${k2},${k1}`) }
  expect(callbackToken(after.encryption, id).token).not.toBe(token)
  const again = callbackToken(after.encryption, id, stored?.server_key_id)
  expect(again.token).toBe(token)
  await recordCallback(after, id, { token: again.token }, { result: 'OK', description: null })
  expect((await desk.run(run.id)).state).toBe('succeeded')
})
