import { setTimeout as sleep } from 'node:timers/promises'
import { BOX, dockerHarness, type Harness, kubernetesHarness } from '@workly/delivery/testing/containers'
import { cancelRun, getRun, putJob, triggerJob, untilGone } from '@workly/services'
import { describe, expect, it } from 'vitest'
import { openWorkshop, type Workshop } from '../workshop.ts'

/** Other test files use the same engine. */
const INSTALLATION = 'of-a-minute'
const MINUTE_MS = 60_000

/** Says in `/data` that it has begun, and goes on until it is let go. */
const waits = (name: string) =>
  `echo x >> /data/${name}.begun; i=0; while [ ! -e /data/${name}.go ] && [ $i -lt 1200 ]; do sleep 0.1; i=$((i+1)); done`

/** A worker on the product's own patience, whose containers are told of by their name. */
class Desk {
  readonly shop: Workshop
  readonly harness: Harness

  constructor(shop: Workshop, harness: Harness) {
    this.shop = shop
    this.harness = harness
  }

  async start(name: string, text: string): Promise<string> {
    const image = { ...BOX, command: ['sh', '-c', text], timeout_seconds: 300 }
    await putJob(this.shop.ctx, name, { cron: '0 0 1 1 *', max_attempts: 1, image })
    return (await triggerJob(this.shop.ctx, name)).id
  }

  async inData(name: string, text: string): Promise<string> {
    const ended = await this.shop.runIn(await this.start(name, text), 'succeeded', 'failed')
    await untilGone(this.shop.ctx, ended.id)
    return ended.attempts[0]?.container?.log ?? ''
  }

  begun(name: string): Promise<string> {
    return this.inData(`${name}-seen`, `until [ -e /data/${name}.begun ]; do sleep 0.1; done`)
  }

  /** How many containers of this project are counted as in flight. */
  async inFlight(): Promise<number> {
    const [row] = await this.shop.services.sql<{ count: number }[]>`
      select count(*)::int from container_handles
      where project_id = ${this.shop.ctx.projectId} and gone_at is null`
    return row?.count ?? 0
  }
}

async function withDesk(open: () => Promise<Harness>, use: (desk: Desk) => Promise<void>): Promise<void> {
  const harness = await open()
  const shop = await openWorkshop()
  const executor = harness.executor({ installation: INSTALLATION })
  try {
    await shop.startWorker({ images: { executor, kind: harness.kind }, publicUrl: 'http://127.0.0.1:9' })
    await use(new Desk(shop, harness))
  } finally {
    await shop.close()
    await executor.close()
    await harness.close()
  }
}

describe.concurrent('a whole minute without', () => {
  it.for([
    ['the engine of Docker', dockerHarness],
    ["Kubernetes' API server", kubernetesHarness],
  ] as const)(
    '%s fails no attempt, starts nothing twice and loses no slot',
    { timeout: 3 * MINUTE_MS },
    async ([, open]) => {
      await withDesk(open, async desk => {
        const { shop, harness } = desk
        const goesOn = await desk.start('goes-on', waits('goes-on'))
        // Ends while nobody can be told.
        const ends = await desk.start('ends', 'echo x >> /data/ends.begun; sleep 20; exit 4')
        const cancelled = await desk.start('cancelled', `trap "exit 0" TERM; ${waits('cancelled')} & wait`)
        await Promise.all(['goes-on', 'ends', 'cancelled'].map(name => desk.begun(name)))
        for (const id of [goesOn, ends, cancelled]) await shop.runWhere(id, run => run.state === 'running')

        await harness.away()
        const late = await desk.start('late', 'echo x >> /data/late.begun')
        await shop.runWhere(late, ({ attempts }) => attempts.length === 1)
        expect(await cancelRun(shop.ctx, cancelled)).toMatchObject({ isGone: false })
        // A whole minute is what is promised, so that it passes.
        await sleep(MINUTE_MS)
        for (const id of [goesOn, ends, late]) {
          expect(await getRun(shop.ctx, id)).toMatchObject({ state: 'running', attempts: [{ number: 1 }] })
        }
        // What is to be removed counts until it is known to be gone.
        expect(await desk.inFlight()).toBe(4)
        await harness.back()

        expect(await untilGone(shop.ctx, cancelled)).toBe(true)
        expect(await shop.runIn(ends, 'failed')).toMatchObject({
          error: { class: 'container_exit' },
          attempts: [{ container: { exit_code: 4 } }],
        })
        expect(await shop.runIn(late, 'succeeded')).toMatchObject({ attempts: [{ number: 1 }] })
        await desk.inData('let-go', 'touch /data/goes-on.go')
        expect(await shop.runIn(goesOn, 'succeeded')).toMatchObject({ attempts: [{ number: 1 }] })
        const begun = await desk.inData('counts', 'cd /data; grep -c x *.begun')
        expect(begun).toBe('cancelled.begun:1\nends.begun:1\ngoes-on.begun:1\nlate.begun:1\n')
        for (const id of [goesOn, ends, late]) expect(await untilGone(shop.ctx, id)).toBe(true)
        expect(await desk.inFlight()).toBe(0)
      })
    },
  )
})
