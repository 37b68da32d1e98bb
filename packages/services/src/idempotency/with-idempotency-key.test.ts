import { WorklyError } from '@workly/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DAY_MS, makeTenant, openServices, type Tenant, type TestServices } from '../../test/tenants.ts'
import { putJob } from '../job/put-job.ts'
import { triggerJob } from '../job/trigger-job.ts'
import { listRuns } from '../run/list-runs.ts'
import {
  type KeptReply,
  type KeyedRequest,
  withIdempotencyKey,
  withKeyFromBefore,
} from './with-idempotency-key.ts'

let t: TestServices
let mine: Tenant

beforeAll(async () => {
  t = await openServices()
  mine = await makeTenant(t.services)
  await putJob(mine.as('owner'), 'report', {
    cron: '0 3 * * *',
    overlap: 'allow',
    url: 'https://api.example.com/',
  })
})
afterAll(() => t?.drop())

let n = 0
function keyed(body = '{}'): KeyedRequest {
  n++
  return { key: `key-${n}`, method: 'POST', path: '/v1/jobs/report/trigger', body: Buffer.from(body) }
}

const explain = (error: unknown): KeptReply | null =>
  error instanceof WorklyError && error.status < 500
    ? { status: error.status, headers: {}, body: error.code }
    : null

function trigger(request: KeyedRequest, name = 'report') {
  return withIdempotencyKey(
    mine.as('owner'),
    request,
    async ctx => {
      const run = await triggerJob(ctx, name)
      return { status: 201, headers: { Location: `/v1/runs/${run.id}` }, body: JSON.stringify(run) }
    },
    explain,
  )
}

const countRuns = async () => (await listRuns(mine.as('owner'), { job: 'report', limit: 200 })).data.length

test('the same key again gives the same answer and makes no second run', async () => {
  const before = await countRuns()
  const request = keyed()
  const first = await trigger(request)
  const again = await trigger(request)
  expect(first.replayed).toBe(false)
  expect(again).toEqual({ reply: first.reply, replayed: true })
  expect(await countRuns()).toBe(before + 1)
})

test('ten at once with one key make one run; the others are told that it is going, or given its answer', async () => {
  const before = await countRuns()
  const request = keyed()
  const all = await Promise.allSettled(Array.from({ length: 10 }, () => trigger(request)))
  const failed = all.filter(r => r.status === 'rejected').map(r => r.reason.code)
  expect(failed.every(code => code === 'idempotency_in_progress')).toBe(true)
  const answers = all.filter(r => r.status === 'fulfilled').map(r => JSON.stringify(r.value.reply))
  expect(new Set(answers).size).toBe(1)
  expect(await countRuns()).toBe(before + 1)
})

test('the same key with another body is refused', async () => {
  const request = keyed()
  await trigger(request)
  await expect(trigger({ ...request, body: Buffer.from('{"x":1}') })).rejects.toMatchObject({
    code: 'idempotency_mismatch',
  })
})

test('a refused request is answered the same again, though it would be taken now', async () => {
  const request = keyed()
  const first = await trigger(request, 'not-yet')
  expect(first.reply).toMatchObject({ status: 404 })
  await putJob(mine.as('owner'), 'not-yet', { cron: '0 3 * * *', url: 'https://api.example.com/' })
  expect(await trigger(request, 'not-yet')).toEqual({ reply: first.reply, replayed: true })
})

test('what went wrong on our side is not kept, and its effect is undone', async () => {
  const before = await countRuns()
  const request = keyed()
  const broken = withIdempotencyKey(
    mine.as('owner'),
    request,
    async ctx => {
      await triggerJob(ctx, 'report')
      throw new Error('the process fell over')
    },
    explain,
  )
  await expect(broken).rejects.toThrow('fell over')
  expect(await countRuns()).toBe(before)
  expect((await trigger(request)).replayed).toBe(false)
})

test('a key is forgotten after 24 hours; keys of other projects and paths are their own', async () => {
  const request = keyed()
  const first = await trigger(request)
  const elsewhere = await makeTenant(t.services)
  await putJob(elsewhere.as('owner'), 'report', { cron: '0 3 * * *', url: 'https://api.example.com/' })
  const theirs = await withIdempotencyKey(
    elsewhere.as('owner'),
    request,
    async ctx => ({ status: 201, headers: {}, body: (await triggerJob(ctx, 'report')).id }),
    explain,
  )
  expect(theirs.replayed).toBe(false)
  expect((await trigger({ ...request, path: '/v1/schedules/report/trigger' })).replayed).toBe(false)
  t.advance(DAY_MS)
  expect((await trigger(request)).reply).not.toEqual(first.reply)
})

test('a key that is none is refused by name', async () => {
  for (const key of ['', 'a b', 'ü', 'x'.repeat(256)]) {
    await expect(trigger({ ...keyed(), key })).rejects.toMatchObject({
      issues: [{ field: 'Idempotency-Key' }],
    })
  }
})

test('an effect that no transaction holds keeps its key from before: going, then done; unknown after a death', async () => {
  const request = keyed()
  let finish: (reply: KeptReply) => void = () => undefined
  let started: () => void = () => undefined
  const begun = new Promise<void>(resolve => {
    started = resolve
  })
  const act = (work: () => Promise<KeptReply>) => withKeyFromBefore(mine.as('owner'), request, work, explain)
  const first = act(() => {
    started()
    return new Promise(resolve => {
      finish = resolve
    })
  })
  await begun
  const never = () => Promise.reject(new Error('called again'))
  await expect(act(never)).rejects.toMatchObject({ code: 'idempotency_in_progress' })
  t.advance(61_000)
  await expect(act(never)).rejects.toMatchObject({ code: 'outcome_unknown' })
  finish({ status: 200, headers: {}, body: 'done' })
  expect((await first).replayed).toBe(false)
  expect(await act(never)).toEqual({ reply: { status: 200, headers: {}, body: 'done' }, replayed: true })
})

test('an effect that fails on our side leaves its key free', async () => {
  const request = keyed()
  const act = (work: () => Promise<KeptReply>) => withKeyFromBefore(mine.as('owner'), request, work, explain)
  await expect(act(() => Promise.reject(new Error('our fault')))).rejects.toThrow('our fault')
  const again = await act(async () => ({ status: 200, headers: {}, body: null }))
  expect(again.replayed).toBe(false)
})

test('a key whose process died in the middle of its transaction is free at once, and nothing of it has happened', async () => {
  const before = await countRuns()
  const request = keyed()
  let backend = 0
  let reached: () => void = () => undefined
  const inTheMiddle = new Promise<void>(resolve => {
    reached = resolve
  })
  const first = withIdempotencyKey(
    mine.as('owner'),
    request,
    async ctx => {
      const run = await triggerJob(ctx, 'report')
      const [row] = await ctx.services.sql<{ pid: number }[]>`select pg_backend_pid() as pid`
      backend = row?.pid ?? 0
      reached()
      // The process is gone: its connection is cut off before it can commit.
      await ctx.services.sql`select pg_sleep(60)`
      return { status: 201, headers: {}, body: run.id }
    },
    explain,
  )
  const died = expect(first).rejects.toThrow()
  await inTheMiddle
  await expect(trigger(request)).rejects.toMatchObject({ code: 'idempotency_in_progress' })
  await t.sql`select pg_terminate_backend(${backend}, 10000)`
  const second = await trigger(request)
  await died
  expect([second.replayed, second.reply.status]).toEqual([false, 201])
  expect(await countRuns()).toBe(before + 1)
})
