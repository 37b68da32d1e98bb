import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { SERVER_LIMITS } from '@workly/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PUBLIC_URL, startTestApi, type TestApi } from '../test/api-fixture.ts'
import { createListener } from './app.ts'

// As main.ts sets it up, with the two timeouts a hundredth as long.

let api: TestApi
let server: Server
beforeAll(async () => {
  api = await startTestApi()
  const { headersTimeout, requestTimeout } = SERVER_LIMITS
  const short = {
    ...SERVER_LIMITS,
    headersTimeout: headersTimeout / 100,
    requestTimeout: requestTimeout / 100,
    connectionsCheckingInterval: 50,
  }
  server = createServer(short, createListener(api.app, { publicUrl: PUBLIC_URL, replaceGlobals: false }))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise(resolve => server.close(resolve))
  await api.close()
})

/** Sends this and then nothing more. @returns what came until the server closed the connection */
function sendAndWait(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1', () => socket.write(text))
    let answer = ''
    socket.setEncoding('latin1').on('data', part => {
      answer += part
    })
    socket.on('close', () => resolve(answer)).on('error', reject)
  })
}

describe('a caller that', () => {
  it('never ends its header is sent away', async () => {
    expect(await sendAndWait('GET /v1/jobs HTTP/1.1\r\nHost: x\r\nX-Slow: a')).toMatch(/^HTTP\/1\.1 408 /)
  })

  it('never ends its body is sent away', async () => {
    const head = `PUT /v1/jobs/slow HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.own.keys.write}\r\n`
    expect(await sendAndWait(`${head}Content-Length: 1000\r\n\r\n{`)).toMatch(/^HTTP\/1\.1 408 /)
  })

  it('sends a header without end is told 431', async () => {
    const long = `GET /v1/jobs HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(SERVER_LIMITS.maxHeaderSize)}\r\n\r\n`
    expect(await sendAndWait(long)).toMatch(/^HTTP\/1\.1 431 /)
  })

  it('smuggles a second request into the first is refused, and the second is not answered', async () => {
    const second = 'DELETE /v1/jobs/x HTTP/1.1\r\nHost: x\r\n\r\n'
    for (const headers of [
      `Content-Length: ${second.length + 5}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${second}`,
      `Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n${second}`,
      `Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello${second}`,
      `Content-Length : 5\r\n\r\nhello${second}`,
      `Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${second}`,
      `X: a\nContent-Length: 5\r\n\r\nhello${second}`,
    ]) {
      const answer = await sendAndWait(`POST /v1/jobs/x/pause HTTP/1.1\r\nHost: x\r\n${headers}`)
      expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /)
      expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1)
    }
  })
})

it('a header of the caller’s can start no line of the log, nor a header of the answer', async () => {
  api.log.length = 0
  const odd = 'x\\r\\nSet-Cookie: a=b {"level":60}'
  for (const name of ['X-Request-Id', 'Idempotency-Key', 'User-Agent', 'Origin', 'If-Match']) {
    const answer = await api.call('GET', '/v1/jobs', { headers: { [name]: odd } })
    expect(answer.headers.get('set-cookie')).toBeNull()
    expect([...answer.headers.values()].join('\n')).not.toContain('a=b')
  }
  for (const line of api.log) {
    expect(line.trimEnd().split('\n')).toHaveLength(1)
    expect(JSON.parse(line).level).toBeLessThan(60)
  }
  await api.call('GET', `/v1/jobs/${encodeURIComponent('a\r\n{"level":60}')}`)
  expect(api.log.join('')).not.toContain('"level":60')
})
