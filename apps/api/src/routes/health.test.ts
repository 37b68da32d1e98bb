import { createServer, type Server, type Socket } from 'node:net'
import { createSql } from '@workly/db'
import { createEmptyDatabase } from '@workly/db/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callApp, startTestApi, type TestApi } from '../../test/api-fixture.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

/** A port that takes connections and never says a word, as a database behind a dead router does. */
async function silentPort(): Promise<{ url: string; close(): Promise<void> }> {
  const sockets = new Set<Socket>()
  const server: Server = createServer(socket => sockets.add(socket))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    url: `postgres://postgres@127.0.0.1:${port}/none`,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

describe('/healthz', () => {
  it('answers 200 without a key, to HEAD too', async () => {
    const got = await api.call('GET', '/healthz', { key: null })
    expect(got.status).toBe(200)
    expect(got.body).toEqual({ status: 'ok' })
    expect((await api.call('HEAD', '/healthz', { key: null })).status).toBe(200)
  })
})

describe('/readyz', () => {
  it('answers 200 without a key while the database answers', async () => {
    const got = await api.call('GET', '/readyz', { key: null })
    expect(got.status).toBe(200)
    expect(got.body).toEqual({ status: 'ready' })
  })

  it('answers 503 while the database refuses, and /healthz still 200', async () => {
    const sql = createSql('postgres://postgres@127.0.0.1:1/none', { max: 1, name: 'away' })
    const app = api.another({ services: { ...api.services, sql } })
    const got = await callApp(app, 'GET', '/readyz', {})
    expect(got.status).toBe(503)
    expect(got.body.code).toBe('unavailable')
    expect(got.headers.get('retry-after')).toBe('5')
    expect((await callApp(app, 'GET', '/healthz', {})).status).toBe(200)
    await sql.end()
  })

  it('answers 503 while the database is silent, however many ask, with one question to it', async () => {
    const silent = await silentPort()
    const sql = createSql(silent.url, { max: 1, name: 'silent' })
    let asked = 0
    const counted = new Proxy(sql, {
      apply(target, self, args) {
        asked++
        return Reflect.apply(target, self, args)
      },
    })
    const app = api.another({ services: { ...api.services, sql: counted } })
    const answers = await Promise.all(Array.from({ length: 20 }, () => callApp(app, 'GET', '/readyz', {})))
    expect(new Set(answers.map(answer => answer.status))).toEqual(new Set([503]))
    expect(asked).toBe(1)
    await silent.close()
    await sql.end({ timeout: 0 })
  })

  it('answers 503 while the tables are not there', async () => {
    const empty = await createEmptyDatabase()
    const app = api.another({ services: { ...api.services, sql: empty.sql } })
    expect((await callApp(app, 'GET', '/readyz', {})).status).toBe(503)
    await empty.drop()
  })
})
