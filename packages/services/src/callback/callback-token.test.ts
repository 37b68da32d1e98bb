import * as crypto from 'node:crypto'
import type { Sql } from '@workly/db'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Desk, openDesk } from '../../test/job-desk.ts'
import { PretendWorker } from '../../test/pretend-worker.ts'
import { readEncryptionKeys } from '../encryption.ts'
import { triggerJob } from '../job/trigger-job.ts'
import { callbackToken, hashToken } from './callback-token.ts'
import { recordCallback } from './record-callback.ts'

vi.mock('node:crypto', { spy: true })

let desk: Desk
beforeAll(async () => {
  desk = await openDesk()
})
afterAll(() => desk?.drop())

const [k1, k2] = ['k1', 'k2'].map(id => `${id}:${crypto.randomBytes(32).toString('base64')}`)

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

/** An attempt that waits for its callback. */
async function waiting(): Promise<string> {
  const run = await triggerJob(desk.ctx, await desk.job({ response: { callback: { max_wait_seconds: 60 } } }))
  const worker = await PretendWorker.start(desk.services)
  const begun = await worker.take()
  await worker.finish(begun)
  return begun.find(one => one.run_id === run.id)?.attempt_id ?? ''
}

/** Statements outside of transactions, with what they are given. */
function recorded(sql: Sql): { sql: Sql; statements: { text: string; values: unknown[] }[] } {
  const statements: { text: string; values: unknown[] }[] = []
  const apply = (target: Sql, self: unknown, [strings, ...values]: [readonly string[], ...unknown[]]) => {
    if ('raw' in strings) statements.push({ text: strings.join('?'), values })
    return Reflect.apply(target, self, [strings, ...values])
  }
  return { sql: new Proxy(sql, { apply }), statements }
}

test('a token is compared in constant time: the attempt is looked up by its id alone, and its hash compared whole', async () => {
  const [id, other] = [await waiting(), await waiting()]
  const tokenOf = (attempt: string) => callbackToken(desk.services.encryption, attempt).token
  const right = tokenOf(id)
  const almost = right.slice(0, -1) + (right.endsWith('A') ? 'B' : 'A')
  const compare = vi.mocked(crypto.timingSafeEqual)
  const guesses = [
    [id, almost],
    [id, `A${right.slice(1)}x`],
    [id, ''],
    [id, 'x'.repeat(100_000)],
    [id, tokenOf(other)],
    ['att_00000000000000000000000000', right],
    ['nonsense', right],
  ] as const
  const texts = new Set<string>()
  const refusals = new Set<unknown>()
  for (const [attempt, token] of guesses) {
    compare.mockClear()
    const { sql, statements } = recorded(desk.sql)
    const services = { ...desk.services, sql }
    const refused = await recordCallback(services, attempt, { token }, { result: 'OK' }).catch(error => error)
    expect(refused).toMatchObject({ code: 'not_found' })
    refusals.add(refused.message)
    // One look, which knows nothing of the token, and one comparison of as many bytes whatever was given.
    const [look, ...more] = statements
    expect(more).toEqual([])
    expect(look?.values).toHaveLength(1)
    expect(['', attempt]).toContain(look?.values[0])
    texts.add(look?.text ?? '')
    expect(compare.mock.calls.map(pair => pair.map(bytes => bytes.byteLength))).toEqual([[32, 32]])
    expect(Buffer.from(compare.mock.calls[0]?.[0] as Uint8Array)).toEqual(hashToken(token))
  }
  expect(texts.size).toBe(1)
  expect(refusals.size).toBe(1)
  await recordCallback(desk.services, id, { token: right }, { result: 'OK' })
})
