import { fileURLToPath } from 'node:url'
import { Queue } from 'bullmq'
import { atEnd } from '../ending.ts'
import { Account, type Measured } from './account.ts'
import { untilTrue, WARM_UP } from './armed.ts'
import { QUEUE } from './bullmq-queue.ts'
import { Child } from './child.ts'
import type { Redis } from './redis.ts'
import type { Rig } from './rig.ts'
import { PAYLOAD } from './seed.ts'

const BULK = 1_000

/** BullMQ and undici on as many jobs, which wait in a paused queue until the instant at which it goes on. */
export async function measureBullmq(
  rig: Rig,
  redis: Redis,
  jobs: number,
  concurrency: number,
): Promise<Measured> {
  const queue = new Queue(QUEUE, { connection: { path: redis.socket } })
  const close = atEnd(() => queue.close())
  const program = fileURLToPath(new URL('bullmq.ts', import.meta.url))
  const [worker] = await Child.start(
    [program, redis.socket, String(concurrency)],
    {},
    line => line === 'ready',
  )
  const completed = () =>
    untilTrue('every job of BullMQ is completed', async () => {
      const { waiting = 0, paused = 0, active = 0, failed = 0 } = await queue.getJobCounts()
      if (failed > 0) throw new Error(`${failed} jobs of BullMQ failed`)
      return waiting + paused + active === 0
    })
  try {
    await add(queue, rig.targetUrl, WARM_UP)
    await completed()
    await queue.pause()
    await add(queue, rig.targetUrl, jobs)
    await rig.forget()
    const account = new Account(rig, worker.pid, redis.pid)
    const due = Date.now()
    await queue.resume()
    await completed()
    return await account.close(jobs, due, Date.now())
  } finally {
    await worker.end()
    await close()
  }
}

async function add(queue: Queue, url: string, jobs: number): Promise<void> {
  const body = JSON.stringify(PAYLOAD)
  for (let n = 0; n < jobs; n += BULK) {
    const some = Array.from({ length: Math.min(BULK, jobs - n) }, (_, i) => String(n + i))
    await queue.addBulk(some.map(task => ({ name: 'post', data: { url, task, body } })))
  }
}
