import { run } from 'graphile-worker'
import { Agent } from 'undici'

/**
 * The other side of the comparison, as a process of its own: graphile-worker with its fastest settings and undici, which
 * make the same POSTs and record nothing. `bare.ts <database url> <concurrency>`; it says `ready` when it takes tasks.
 */

const [databaseUrl = '', concurrency = ''] = process.argv.slice(2)
const agent = new Agent({ connections: null, pipelining: 1, keepAliveTimeout: 4_000 })

const runner = await run({
  connectionString: databaseUrl,
  noHandleSignals: true,
  taskList: {
    post: async payload => {
      const { url, task, body } = payload as { url: string; task: string; body: string }
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
  },
  preset: {
    worker: {
      concurrentJobs: Number(concurrency),
      pollInterval: 2_000,
      maxPoolSize: 4,
      localQueue: { size: Math.max(500, Number(concurrency)) },
      completeJobBatchDelay: 0,
      failJobBatchDelay: 0,
    },
  },
})
process.once('SIGTERM', () => void runner.stop().then(() => process.exit(0)))
process.stdout.write('ready\n')
