import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { TestReceiver } from '@workly/delivery/testing'
import { createSigningSecret, putJob, readEncryptionKeys, triggerJob } from '@workly/services'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorkshop, type Workshop } from '../test/workshop.ts'

const KEYS = `k1:${Buffer.alloc(32, 1).toString('base64')}`
const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url))

let shop: Workshop
let target: TestReceiver
beforeAll(async () => {
  shop = await openWorkshop()
  target = await TestReceiver.start({ answer: 'hang' })
})
afterAll(async () => {
  await shop?.close()
  await target?.close()
})

/** A worker process with a grace of ten minutes, which takes tasks. */
async function startProcess(): Promise<{ child: ChildProcess; says(text: string): Promise<void> }> {
  const child = spawn(process.execPath, [MAIN], {
    env: {
      DATABASE_URL: shop.test.url,
      WORKLY_PUBLIC_URL: 'http://localhost',
      WORKLY_ENCRYPTION_KEYS: KEYS,
      WORKLY_ALLOW_HTTP: 'loopback',
      WORKLY_ALLOWED_PRIVATE_TARGETS: '127.0.0.0/8',
      WORKLY_SHUTDOWN_GRACE: '600',
    },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  let output = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  await once(child, 'message')
  return {
    child,
    async says(text) {
      while (!output.includes(text)) await once(child.stdout ?? child, 'data')
    },
  }
}

test('a first SIGTERM waits for the call under way, a second ends the worker at once', async () => {
  const { child, says } = await startProcess()
  // One that the process can read.
  await createSigningSecret({
    ...shop.ctx,
    services: { ...shop.services, encryption: readEncryptionKeys(KEYS) },
  })
  await putJob(shop.ctx, 'hangs', { cron: '0 3 * * *', url: target.url('/hangs'), timeout_seconds: 1_800 })
  const { id } = await triggerJob(shop.ctx, 'hangs')
  await target.received(1)
  child.kill('SIGTERM')
  await says('stopping')
  expect((await shop.runIn(id, 'running')).attempts).toMatchObject([{ state: 'running' }])
  const gone = once(child, 'exit')
  child.kill('SIGTERM')
  expect(await gone).toEqual([1, null])
  // Nothing was handed over: the attempt is its worker's until the lease has run out.
  expect((await shop.runIn(id, 'running')).attempts).toMatchObject([{ state: 'running' }])
})
