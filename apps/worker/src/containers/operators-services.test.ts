import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { putJob, triggerJob } from '@workly/services'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorkshop, type Workshop } from '../../test/workshop.ts'
import { openImages } from './image-runner.ts'

let shop: Workshop
/** What stands where the operator says that Docker's engine is: it knows no image, and notes what it is asked. */
const asked: string[] = []
const engine = createServer((request, response) => {
  asked.push(`${request.method} ${request.url}`)
  response.writeHead(404, { 'Content-Type': 'application/json' })
  response.end('{"message": "manifest unknown"}')
})
beforeAll(async () => {
  shop = await openWorkshop()
  // As in production: no private address is opened to targets.
  shop.services.allowedPrivate = []
  await new Promise<void>(resolve => engine.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  await shop?.close()
  engine.closeAllConnections()
  engine.close()
})

test('Docker’s engine and PostgreSQL on a private address are reached, and a target there is blocked', async () => {
  const { port } = engine.address() as AddressInfo
  const images = await openImages(
    {
      executor: 'docker',
      engine: { protocol: 'http', host: '127.0.0.1', port, certDir: null },
      registry: '',
      registryAuth: null,
      limits: { cpus: 1, memoryBytes: 512 * 1024 ** 2 },
      installation: 'test',
      configDir: null,
      network: 'bridge',
    },
    shop.services,
  )
  // Its database is on loopback too.
  await shop.startWorker({ images })
  const once = { cron: '0 3 * * *', max_attempts: 1 } as const
  await putJob(shop.ctx, 'contained', { ...once, image: { name: 'team/report', tag: '1.4.0' } })
  await putJob(shop.ctx, 'called', { ...once, url: `https://127.0.0.1:${port}/called` })
  const contained = await shop.runIn((await triggerJob(shop.ctx, 'contained')).id, 'failed')
  expect(contained.attempts).toMatchObject([{ error: { class: 'image_pull' } }])
  expect(asked.some(line => /^POST \/.*images\/create\?/.test(line))).toBe(true)
  const called = await shop.runIn((await triggerJob(shop.ctx, 'called')).id, 'failed')
  expect(called.attempts).toMatchObject([{ error: { class: 'blocked' } }])
  expect(asked.filter(line => line.includes('called'))).toEqual([])
  await images.executor.close()
})
