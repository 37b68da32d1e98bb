import { putJob, triggerJob } from '@workly/services'
import pino from 'pino'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openWorkshop, type Workshop } from '../test/workshop.ts'
import { Pruning } from './pruning.ts'

const log = pino({ level: 'silent' })

let shop: Workshop
beforeAll(async () => {
  shop = await openWorkshop()
})
afterAll(() => shop?.close())

/** Two runs of a job that ended ten days ago: the older can go. */
async function oldRuns(name: string): Promise<string> {
  await putJob(shop.ctx, name, {
    cron: '0 0 1 1 *',
    url: 'https://127.0.0.1:1/',
    max_attempts: 1,
    overlap: 'allow',
  })
  const [old, last] = [await triggerJob(shop.ctx, name), await triggerJob(shop.ctx, name)]
  const { sql } = shop.services
  await sql`
    update runs set state = 'failed', finished_at = now() - interval '10 days', due_at = null, slot_host = null,
      admitted_at = null
    where id in (${old.id}, ${last.id})`
  return old.id
}

const isThere = async (id: string) =>
  (await shop.services.sql`select 1 from runs where id = ${id}`).length === 1

test('what is past its time is cleared away again and again', async () => {
  const pruning = new Pruning(shop.services, { runsMs: 7 * 86_400_000, auditMs: 400 * 86_400_000 }, log, 10)
  const first = await oldRuns('first')
  pruning.start()
  await vi.waitFor(async () => expect(await isThere(first)).toBe(false), { timeout: 20_000 })
  await pruning.stop()
  const second = await oldRuns('second')
  const next = new Pruning(shop.services, { runsMs: 7 * 86_400_000, auditMs: 400 * 86_400_000 }, log, 10)
  next.start()
  await vi.waitFor(async () => expect(await isThere(second)).toBe(false), { timeout: 20_000 })
  await next.stop()
})

test('a stop waits for the batch at hand, begins no other, and lets go of the lock', async () => {
  const { sql } = shop.services
  const old = await oldRuns('held')
  const held = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const holder = sql.begin(async tx => {
    await tx`lock table sign_in_tokens in access exclusive mode`
    held.resolve()
    await release.promise
  })
  await held.promise
  const pruning = new Pruning(shop.services, { runsMs: 7 * 86_400_000, auditMs: 400 * 86_400_000 }, log, 1)
  pruning.start()
  const advisory =
    () => sql`select 1 from pg_locks where locktype = 'advisory' and objid = 7337002 and granted
    and database = (select oid from pg_database where datname = current_database())`
  await vi.waitFor(async () => expect(await advisory()).toHaveLength(1), { timeout: 20_000 })
  const stopped = pruning.stop()
  release.resolve()
  await holder
  await stopped
  expect(await advisory()).toHaveLength(0)
  expect(await isThere(old)).toBe(true)
})
