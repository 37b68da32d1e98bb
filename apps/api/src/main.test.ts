import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { createTestDatabase, type TestDatabase } from '@workly/db/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url))

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

function start(env: Record<string, string>): { child: ChildProcess; output: () => string } {
  const child = spawn(process.execPath, [MAIN], {
    env: {
      DATABASE_URL: database.url,
      WORKLY_PUBLIC_URL: 'http://localhost',
      WORKLY_ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const parts: string[] = []
  child.stdout?.on('data', part => parts.push(String(part)))
  child.stderr?.on('data', part => parts.push(String(part)))
  return { child, output: () => parts.join('') }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise(resolve => server.close(resolve))
  return typeof address === 'object' && address ? address.port : 0
}

describe('the API as a process', () => {
  it('says when it listens, answers, and ends in peace at SIGTERM', async () => {
    const port = await freePort()
    const { child, output } = start({ PORT: String(port) })
    await once(child, 'message')
    const ready = await fetch(`http://127.0.0.1:${port}/readyz`)
    expect(ready.status).toBe(200)
    const refused = await fetch(`http://127.0.0.1:${port}/v1/jobs`)
    expect(refused.status).toBe(401)
    expect(await refused.json()).toMatchObject({ type: 'http://localhost/docs/errors#unauthorized' })
    child.kill('SIGTERM')
    const [code] = await once(child, 'exit')
    expect(code, output()).toBe(0)
    expect(output()).toContain('the API is listening')
  })

  it('says in one sentence each what is wrong with its environment, and exits', async () => {
    const { child, output } = start({ PORT: 'http', WORKLY_PUBLIC_URL: '' })
    const [code] = await once(child, 'close')
    expect(code).toBe(2)
    expect(output().trim().split('\n')).toHaveLength(2)
    expect(output()).toMatch(/PORT is "http"/)
    expect(output()).toMatch(/WORKLY_PUBLIC_URL is not set/)
  })

  it('says that its port is taken, and exits', async () => {
    const port = await freePort()
    const taken = createServer()
    await new Promise<void>(resolve => taken.listen(port, '127.0.0.1', resolve))
    const { child, output } = start({ PORT: String(port) })
    const [code] = await once(child, 'close')
    await new Promise(resolve => taken.close(resolve))
    expect(code).toBe(1)
    expect(output()).toContain(`The API cannot listen on 127.0.0.1:${port}`)
  })
})
