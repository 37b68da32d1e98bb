import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { ProductionProcess } from '../harness/production-process.ts'
import { expect, test } from '../harness/test.ts'
import { Visitor } from '../harness/visitor.ts'

const PUBLIC = 'https://workly.example.com'

/** Pages, calls and errors of all kinds, of everybody who answers on the one port. */
const ADDRESSES = [
  '/',
  '/sign-in',
  '/sign-in?error=__proto__',
  '/sign-in?error=%3Cscript%3Ealert(1)%3C/script%3E',
  '/sign-in?callbackUrl=//evil.example/',
  '/nowhere/at/all',
  '/demo/demo/jobs/nothing',
  '/%ff',
  '/a%00b',
  '/_next/static/nothing.js',
  '/_next/image?url=/icon.svg&w=64&q=75',
  '/_next/data/x/y.json',
  '/icon.svg',
  '/api/trpc/job.list',
  '/api/trpc/nothing',
  '/api/trpc/%ff',
  '/api/auth/session',
  '/api/auth/callback/credentials',
  '/api/auth/nothing',
  '/api/auth/%ff',
  '/docs',
  '/docs/errors',
  '/docs/nothing',
  '/v1/jobs/%ff',
  '/v1/nothing',
  '/v1/openapi.json',
  '/healthz',
  '/metrics',
]

/** Scripts from anywhere, and inline ones without a nonce or hash, are what an injected text would need. */
function expectClosed({ headers, status }: Response, at: string): void {
  const policy = headers.get('content-security-policy') ?? ''
  expect(status, at).toBeLessThan(500)
  expect(policy, at).toMatch(/default-src '(?:none|self)'/)
  expect(policy, at).toContain("frame-ancestors 'none'")
  expect(policy, at).not.toMatch(/unsafe-inline|unsafe-eval|\*|https?:/)
  expect(headers.get('x-content-type-options'), at).toBe('nosniff')
  expect(headers.get('x-frame-options'), at).toBe('DENY')
  expect(headers.get('referrer-policy'), at).toMatch(/^(?:same-origin|no-referrer)$/)
  expect(headers.get('permissions-policy'), at).toContain('camera=()')
  expect(headers.get('x-powered-by'), at).toBeNull()
}

test('every answer has its headers, none is a 500, none tells what is inside', async ({ stack }) => {
  const stranger = new Visitor(stack.url)
  const member = new Visitor(stack.url)
  const { email, password } = stack.credentials
  expect((await member.signIn(email, password)).status).toBe(200)
  for (const visitor of [stranger, member]) {
    for (const path of ADDRESSES) {
      const answer = await visitor.send('GET', path)
      expectClosed(answer, path)
      expect(answer.headers.get('strict-transport-security'), path).toBeNull()
      const text = await answer.text()
      expect(text, path).not.toMatch(/node_modules|\.ts:\d|PostgresError|<script>alert|\n +at \S/)
      expect(answer.headers.get('location') ?? '', path).not.toContain('evil.example')
    }
  }
})

test('no source of the console is served', async ({ stack }) => {
  const visitor = new Visitor(stack.url)
  const page = await (await visitor.send('GET', '/sign-in')).text()
  const scripts = [...page.matchAll(/\/_next\/static\/[\w./-]+\.js/g)].map(([path]) => path)
  expect(scripts.length).toBeGreaterThan(0)
  for (const script of new Set(scripts)) {
    expect(await (await visitor.send('GET', script)).text(), script).not.toContain('sourceMappingURL')
    expect((await visitor.send('GET', `${script}.map`)).status, script).toBe(404)
  }
  const built = readdirSync(new URL('../../apps/console/.next/static', import.meta.url), { recursive: true })
  expect(built.filter(name => String(name).endsWith('.map'))).toEqual([])
})

test('a sign-in from another site, a forged one and a careless one are refused', async ({ stack }) => {
  const { email, password } = stack.credentials
  const visitor = new Visitor(stack.url)
  const post = (body: BodyInit, headers: Record<string, string>) =>
    visitor.send('POST', '/api/auth/callback/credentials', { body, headers })
  const { csrfToken } = (await (await visitor.send('GET', '/api/auth/csrf')).json()) as { csrfToken: string }
  const form = new URLSearchParams({ email, password, csrfToken, json: 'true' })
  expect((await post(form, { origin: 'https://evil.example' })).status).toBe(403)
  expect((await post(form, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
  const wrongToken = new URLSearchParams({ email, password, csrfToken: 'x', json: 'true' })
  await post(wrongToken, {})
  expect((await post('{', { 'content-type': 'application/json' })).status).toBe(400)
  for (const odd of [{ email: { a: 1 }, password: [] }, { email: 7 }, [], 'text', null]) {
    const json = JSON.stringify(
      Array.isArray(odd) || odd === null ? odd : { csrfToken, json: 'true', ...Object(odd) },
    )
    const answer = await post(json, { 'content-type': 'application/json' })
    expect(answer.status, json).toBeLessThan(500)
  }
  expect((await visitor.send('POST', '/api/auth/_log', { body: form })).status).toBe(404)
  expect(await visitor.person()).toBeUndefined()
  // Where to go afterwards is never another site.
  const evil = new URLSearchParams({
    email,
    password,
    csrfToken,
    json: 'true',
    callbackUrl: 'https://evil.example/',
  })
  expect(await (await post(evil, {})).text()).not.toContain('evil.example')
  expect(await visitor.person()).toMatchObject({ email })
})

test('signing out everywhere ends every session at once', async ({ stack }) => {
  const { email, password } = stack.credentials
  const visitors = [new Visitor(stack.url), new Visitor(stack.url)]
  for (const visitor of visitors) await visitor.signIn(email, password)
  const [here, elsewhere] = visitors
  if (!here || !elsewhere) throw new Error('there are two')
  const jobs = { organization: 'demo', project: 'demo' }
  expect((await elsewhere.query('job.list', jobs)).status).toBe(200)
  const foreign = await here.send('POST', '/api/trpc/session.endAll', {
    headers: { origin: 'https://evil.example', 'content-type': 'application/json' },
  })
  expect(foreign.status).toBe(403)
  expect((await here.mutate('session.endAll', undefined)).status).toBe(200)
  for (const visitor of visitors) {
    expect((await visitor.query('job.list', jobs)).status).toBe(401)
    expect((await visitor.mutate('job.pause', { ...jobs, name: 'x' })).status).toBe(401)
    expect(await visitor.person()).toBeUndefined()
    expect((await visitor.send('GET', '/demo/demo/jobs')).headers.get('location')).toMatch(/^\/sign-in/)
  }
  await here.signIn(email, password)
  expect((await here.query('job.list', jobs)).status).toBe(200)
})

test('over https cookies are of this host alone, and the browser keeps to https', async ({ stack }) => {
  test.setTimeout(180_000)
  const running = await ProductionProcess.start('console', stack, PUBLIC)
  const api = await ProductionProcess.start('api', stack, PUBLIC)
  try {
    const { email, password } = stack.credentials
    const visitor = new Visitor(running.url, PUBLIC)
    expect((await visitor.signIn(email, password)).status).toBe(200)
    expect(await visitor.person()).toMatchObject({ email })
    const names = visitor.setCookies.map(line => line.split('=', 1)[0])
    expect(names).toContain('__Host-workly-session')
    expect(names).toContain('__Host-workly-known-browser')
    for (const line of visitor.setCookies) {
      expect(line).toMatch(/^__(?:Host|Secure)-/)
      expect(line).toMatch(/; ?Secure/i)
      expect(line).toMatch(/; ?HttpOnly/i)
      expect(line).toMatch(/; ?SameSite=(?:Lax|Strict)/i)
      expect(line).toMatch(/; ?Path=\/(?:;|$)/i)
      expect(line).not.toMatch(/Domain=/i)
    }
    for (const [at, path] of [
      [running.url, '/sign-in'],
      [running.url, '/%ff'],
      [running.url, '/_next/static/nothing.js'],
      [running.url, '/demo/demo/jobs'],
      [api.url, '/v1/jobs'],
      [api.url, '/docs'],
      [api.url, '/healthz'],
      [api.url, '/nothing'],
    ] as const) {
      const answer = await fetch(`${at}${path}`, { redirect: 'manual' })
      expect(answer.headers.get('strict-transport-security'), path).toMatch(/^max-age=\d{8}/)
      expectClosed(answer, path)
      await answer.body?.cancel()
    }
  } finally {
    await running.stop()
    await api.stop()
  }
})

/** Bytes as they are on a connection of their own. @returns what came until it ended */
function raw(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes, 'latin1'))
    let answer = ''
    socket.setEncoding('latin1').on('data', part => {
      answer += part
    })
    socket.on('close', () => resolve(answer)).on('error', reject)
  })
}

test('no request ends the server, and none is answered with a fault of ours', async ({ stack }) => {
  const host = `Host: localhost:${stack.port}\r\nConnection: close\r\n`
  const paths = ['/sign-in', '/v1/jobs', '/api/trpc/job.list', '/api/auth/csrf', '/icon.svg', '/']
  const requests = [
    ...paths.flatMap(path => [
      ...['GET', 'HEAD', 'PUT', 'DELETE', 'TRACE', 'OPTIONS', 'PROPFIND', 'PATCH'].map(
        method => `${method} ${path} HTTP/1.1\r\n${host}\r\n`,
      ),
      `GET ${path} HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n`,
      `GET ${path} HTTP/1.1\r\nHost: [::\r\nConnection: close\r\n\r\n`,
      `GET ${path} HTTP/1.1\r\nHost: \r\nConnection: close\r\n\r\n`,
      `GET ${path} HTTP/1.1\r\nConnection: close\r\n\r\n`,
      `GET ${path} HTTP/1.0\r\n\r\n`,
      `GET http://evil.example${path} HTTP/1.1\r\n${host}\r\n`,
      `GET ${path}?${'a=b&'.repeat(3_000)} HTTP/1.1\r\n${host}\r\n`,
      `GET ${path}?%ff=%00 HTTP/1.1\r\n${host}\r\n`,
      `GET ${path} HTTP/1.1\r\n${host}Cookie: ${'workly-session=x; '.repeat(100)}\r\n\r\n`,
      `GET ${path} HTTP/1.1\r\n${host}Cookie: workly-zone=%E0%A4%A; workly-theme=__proto__; workly-known-browser=%\r\n\r\n`,
      `GET ${path} HTTP/1.1\r\n${host}Accept-Language: \xff\r\nNext-Router-State-Tree: %\r\nRSC: 1\r\n\r\n`,
      `GET ${path} HTTP/1.1\r\n${host}X-Forwarded-Host: a b\r\nX-Forwarded-Proto: \xff\r\nX-Forwarded-For: ,,,\r\n\r\n`,
      `GET ${path} HTTP/1.1\r\n${host}x-middleware-subrequest: src/proxy:src/proxy:src/proxy:src/proxy:src/proxy\r\n\r\n`,
      `POST ${path} HTTP/1.1\r\n${host}Next-Action: ${'a'.repeat(40)}\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 3\r\n\r\n--x`,
      `POST ${path} HTTP/1.1\r\n${host}Next-Action: __proto__\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n[]`,
      `GET ${path} HTTP/1.1\r\n${host}Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: x\r\n\r\n`,
      `GET ${path} HTTP/1.1\r\n${host}Expect: everything\r\n\r\n`,
      `GET ${path} HTTP/1.1\r\n${host}Range: bytes=9-1\r\nIf-None-Match: \xff\r\n\r\n`,
    ]),
    `OPTIONS * HTTP/1.1\r\n${host}\r\n`,
    `CONNECT evil.example:443 HTTP/1.1\r\n${host}\r\n`,
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  ].map(request => (request.startsWith('\x16') ? `${request}\r\n\r\n` : request))
  for (const request of requests) {
    const answer = await raw(stack.port, request)
    const at = JSON.stringify(request.slice(0, 200))
    expect(answer, at).not.toMatch(/^HTTP\/1\.1 5/)
    expect(answer, at).not.toMatch(/evil\.example\/(?:sign-in|$)|node_modules|\n +at \S/)
  }
  expect((await fetch(`${stack.url}/readyz`)).status).toBe(200)
})
