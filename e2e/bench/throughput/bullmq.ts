import { Worker } from 'bullmq'
import { Agent } from 'undici'
import { COMPLETED_KEPT, QUEUE } from './bullmq-queue.ts'

/**
 * BullMQ's side of the comparison, as a process of its own: a worker as its guide has one for production, and undici,
 * which makes the same POSTs. `bullmq.ts <socket of Redis> <concurrency>`; it says `ready` when it takes jobs.
 */

const [path = '', concurrency = ''] = process.argv.slice(2)
const agent = new Agent({ connections: null, pipelining: 1, keepAliveTimeout: 4_000 })

interface Post {
  url: string
  task: string
  body: string
}

const worker = new Worker<Post>(
  QUEUE,
  async ({ data: { url, task, body } }) => {
    const { origin, pathname } = new URL(url)
    const response = await agent.request({
      origin,
      path: pathname,
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-task': task },
      body,
    })
    await response.body.text()
    if (response.statusCode !== 200) throw new Error(`the target answered ${response.statusCode}`)
  },
  {
    connection: { path, maxRetriesPerRequest: null },
    concurrency: Number(concurrency),
    removeOnComplete: { count: COMPLETED_KEPT },
  },
)
worker.on('error', error => console.error(error))
process.once('SIGTERM', () => void worker.close().then(() => process.exit(0)))
await worker.waitUntilReady()
process.stdout.write('ready\n')
