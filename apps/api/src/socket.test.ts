import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listen, NIGHTLY, startTestApi, type TestApi } from '../test/api-fixture.ts'
import { rawBytes, rawCall } from '../test/raw-call.ts'

let api: TestApi
let server: Awaited<ReturnType<typeof listen>>
let door: Awaited<ReturnType<typeof listen>>
beforeAll(async () => {
  api = await startTestApi()
  server = await listen(api.app)
  const { organizationId, projectId } = api.own.ctx
  door = await listen(api.another({ demoDoor: { organizationId, projectId } }))
})
afterAll(async () => {
  await server.close()
  await door.close()
  await api.close()
})

const key = () => ({ Authorization: `Bearer ${api.own.keys.write}` })

describe('over a socket', () => {
  it('takes a job with a key', async () => {
    const put = await fetch(`${server.url}/v1/jobs/socket`, {
      method: 'PUT',
      headers: key(),
      body: JSON.stringify(NIGHTLY),
    })
    expect(put.status).toBe(201)
  })

  it('has no door in production: without a key, 401 even from this machine', async () => {
    const refused = await fetch(`${server.url}/v1/jobs`)
    expect(refused.status).toBe(401)
    await refused.body?.cancel()
  })

  it('answers 413 while three megabytes of unknown length are still coming, and the client hears it', async () => {
    const chunk = new TextEncoder().encode('x'.repeat(65_536))
    let left = 48
    const body = new ReadableStream({
      pull(controller) {
        if (left-- > 0) controller.enqueue(chunk)
        else controller.close()
      },
    })
    const init = { method: 'PUT', headers: key(), body, duplex: 'half' } as RequestInit
    const refused = await fetch(`${server.url}/v1/jobs/large`, init)
    expect(refused.status).toBe(413)
    expect(await refused.json()).toMatchObject({ code: 'payload_too_large' })
  })

  it('answers 413 to a length over the limit before any of the body came', async () => {
    const head = `PUT /v1/jobs/large HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.own.keys.write}\r\nContent-Length: 2097153\r\n\r\n`
    expect(await rawBytes(server.port, head, 'request_id')).toMatch(/^HTTP\/1\.1 413 /)
  })

  it('takes a body of just two megabytes', async () => {
    const text = JSON.stringify({ ...NIGHTLY, description: '' })
    const body = `${text}${' '.repeat(2 * 1024 * 1024 - text.length)}`
    const put = await fetch(`${server.url}/v1/jobs/spacious`, { method: 'PUT', headers: key(), body })
    expect(put.status).toBe(201)
  })

  it('answers 400 to a body that ends before its time', async () => {
    const head = `PUT /v1/jobs/short HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.own.keys.write}\r\nTransfer-Encoding: chunked\r\n\r\n`
    const answer = await rawBytes(server.port, `${head}5\r\n{"cro\r\nzz\r\n`)
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  })

  it.each([
    ['TRACE /v1/jobs HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 405],
    ['GET /v1/jobs HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n', 400],
    ['GET http://%zz/v1/jobs HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 400],
    ['GET /healthz?a=%zz#x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 200],
    ['OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 400],
  ])('answers %j with %i as a problem', async (bytes, status) => {
    const answer = await rawBytes(server.port, bytes)
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    if (status >= 400) expect(answer).toContain('application/problem+json')
  })

  it('answers HEAD with the length of the body that GET would have', async () => {
    const get = await rawCall({ port: server.port, method: 'GET', path: '/v1/jobs/socket', headers: key() })
    const head = await rawCall({ port: server.port, method: 'HEAD', path: '/v1/jobs/socket', headers: key() })
    expect(head.text).toBe('')
    expect(head.headers.etag).toBe(get.headers.etag)
  })
})

describe('the door of the embedded default, over a socket', () => {
  const call = (headers: Record<string, string>) =>
    rawCall({
      port: door.port,
      method: 'GET',
      path: '/v1/jobs',
      headers: { Host: `localhost:${door.port}`, ...headers },
    })

  it('lets a call of this machine act in the demo project, with the scope write', async () => {
    const body = JSON.stringify(NIGHTLY)
    const headers = { Host: `localhost:${door.port}` }
    const put = await rawCall({ port: door.port, method: 'PUT', path: '/v1/jobs/door', headers, body })
    expect(put.status).toBe(201)
    expect((await api.call('GET', '/v1/jobs/door')).status).toBe(200)
  })

  it.each([
    [{ Host: 'rebound.example' }],
    [{ Origin: 'https://evil.example' }],
    [{ 'Sec-Fetch-Site': 'cross-site' }],
    [{ 'X-Forwarded-For': '127.0.0.1' }],
    [{ Forwarded: 'for=127.0.0.1' }],
    [{ Via: '1.1 proxy' }],
    [{ 'Workly-Run-Id': 'run_1' }],
  ])('answers 401 to %j and says why', async headers => {
    const refused = await call(headers as Record<string, string>)
    expect(refused.status).toBe(401)
    expect(JSON.parse(refused.text).detail).toMatch(/only calls from this machine are taken; /)
  })

  it('does not let a wrong key in', async () => {
    expect((await call({ Authorization: 'Bearer wk_wrong' })).status).toBe(401)
    expect((await call({ Authorization: '' })).status).toBe(401)
  })

  it('lets a right key act in its own project, whatever the door would say', async () => {
    const theirs = await call({ Authorization: `Bearer ${api.foreign.keys.read}`, Via: '1.1 proxy' })
    expect(theirs.status).toBe(200)
    expect(JSON.parse(theirs.text).data).toEqual([])
  })
})
