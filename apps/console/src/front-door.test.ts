import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { readTrustedProxies } from '@workly/services'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CLIENT_HEADER } from './features/session/client-address.ts'
import { frontDoor } from './front-door.ts'

const isTrusted = readTrustedProxies('127.0.0.0/8')
let server: Server
let url: string
beforeAll(async () => {
  const handler = frontDoor(
    async (request, response) => {
      response.end(JSON.stringify(request.headers[CLIENT_HEADER]))
    },
    { https: true, isTrusted },
  )
  server = createServer((request, response) => void handler(request, response))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => new Promise(resolve => server.close(resolve)))

/** Bytes as they are, and what comes back until the connection ends. */
function raw(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1', () => socket.write(text))
    let answer = ''
    socket.setEncoding('latin1').on('data', part => {
      answer += part
    })
    socket.on('close', () => resolve(answer)).on('error', reject)
  })
}

describe('the front door', () => {
  it('gives every answer its headers, refusals too', async () => {
    for (const path of ['/', '/%ff', '/_next/image?url=/x']) {
      const { headers } = await fetch(`${url}${path}`)
      expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('x-frame-options')).toBe('DENY')
      expect(headers.get('referrer-policy')).toBe('same-origin')
      expect(headers.get('permissions-policy')).toContain('camera=()')
      expect(headers.get('strict-transport-security')).toBe('max-age=31536000')
    }
  })

  it.each(['/%ff', '/a/%E0%A4%A', '/%', '/a%00b', 'http://evil.example/'])(
    'answers 400 to the address %s',
    async path => {
      expect(await raw(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)).toMatch(
        /^HTTP\/1\.1 400 /,
      )
    },
  )

  it('answers 405 to methods that nothing of the console takes', async () => {
    for (const method of ['TRACE', 'PUT', 'DELETE', 'PROPFIND']) {
      const answer = await raw(`${method} / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
      expect(answer).toMatch(/^HTTP\/1\.1 405 /)
    }
  })

  it('says who calls, whatever the caller says', async () => {
    const said = async (headers: Record<string, string>) => (await fetch(url, { headers })).json()
    expect(await said({})).toBe('127.0.0.1')
    expect(await said({ [CLIENT_HEADER]: '203.0.113.1' })).toBe('127.0.0.1')
    expect(await said({ 'X-Forwarded-For': '203.0.113.1' })).toBe('203.0.113.1')
  })

  it.each([
    ['/api/auth/callback/credentials', 16 * 1024],
    ['/api/trpc/job.create', 8 * 1024 * 1024],
  ])('%s takes no more than %i bytes, and hears of it before they are sent', async (path, most) => {
    const head = `POST ${path} HTTP/1.1\r\nHost: x\r\n`
    expect(await raw(`${head}Content-Length: ${most + 1}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 413 /)
    const small = await fetch(`${url}${path}`, { method: 'POST', body: 'x'.repeat(1_000) })
    expect(small.status).toBe(200)
  })

  it('takes no body of unknown length', async () => {
    const head = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n'
    expect(await raw(head)).toMatch(/^HTTP\/1\.1 411 /)
  })

  it('takes no request that two readers could cut in two places', async () => {
    const smuggled = 'GET /admin HTTP/1.1\r\nHost: x\r\n\r\n'
    for (const headers of [
      `Content-Length: ${smuggled.length + 5}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
      `Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n${smuggled}`,
      `Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello${smuggled}`,
      `Content-Length : 5\r\n\r\nhello${smuggled}`,
      `Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${smuggled}`,
    ]) {
      const answer = await raw(`POST / HTTP/1.1\r\nHost: x\r\n${headers}`)
      expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /)
      expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1)
    }
  })
})
