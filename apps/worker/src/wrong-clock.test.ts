import { TestReceiver } from '@workly/delivery/testing'
import { putJob, triggerJob } from '@workly/services'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openWorkshop, type Workshop } from '../test/workshop.ts'

const HOUR_MS = 3_600_000

let shop: Workshop
let target: TestReceiver
beforeAll(async () => {
  shop = await openWorkshop()
  target = await TestReceiver.start()
})
afterAll(async () => {
  vi.useRealTimers()
  await shop?.close()
  await target?.close()
})

test.each([
  ['behind', -7 * HOUR_MS],
  ['ahead', 50 * HOUR_MS],
])(
  'a worker whose machine has a clock that is far %s runs and signs with the database’s time',
  async (_, off) => {
    const now = Date.now()
    // The machine's clock alone: timers run as ever, as they do on a machine that is set wrong.
    vi.useFakeTimers({ toFake: ['Date'], now: now + off })
    const worker = await shop.startWorker()
    const name = `off-${Math.abs(off)}`
    await putJob(shop.ctx, name, { cron: '0 3 * * *', url: target.url(`/${name}`), payload: { a: 1 } })
    const run = await triggerJob(shop.ctx, name)
    await target.received(target.requests.length + 1)
    const request = target.requests.find(seen => seen.url === `/${name}`)
    vi.useRealTimers()
    const ended = await shop.runIn(run.id, 'succeeded')
    await worker.stop()
    const signedAt = Number(request?.headers['workly-timestamp']) * 1_000
    expect(Math.abs(signedAt - now)).toBeLessThan(HOUR_MS)
    // Its libraries refuse what is signed five minutes off.
    const headers = request?.headers as Record<string, string>
    expect(new Webhook(shop.signingSecret).verify(request?.body.toString() ?? '', headers)).toEqual({ a: 1 })
    for (const at of [
      ended.scheduled_for,
      ended.started_at,
      ended.finished_at,
      ended.attempts[0]?.started_at,
    ])
      expect(Math.abs(Date.parse(at ?? '') - now)).toBeLessThan(HOUR_MS)
  },
)
