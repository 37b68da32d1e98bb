import { createHash } from 'node:crypto'
import { ERROR_CODES } from '@workly/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PUBLIC_URL, startTestApi, type TestApi } from '../../test/api-fixture.ts'
import { html, prose } from '../reference/html.ts'
import { OPERATIONS } from './operations.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

describe('GET /v1/openapi.json', () => {
  it('answers 200 without a key, for this server', async () => {
    const got = await api.call('GET', '/v1/openapi.json', { key: null })
    expect(got.status).toBe(200)
    expect(got.body.openapi).toBe('3.1.0')
    expect(got.body.servers).toEqual([{ url: PUBLIC_URL }])
  })
})

describe.each(['/docs', '/docs/errors'])('GET %s', path => {
  it('answers 200 with a page that loads and runs nothing', async () => {
    const got = await api.call('GET', path, { key: null })
    expect(got.status).toBe(200)
    expect(got.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(got.text).toMatch(/^<!doctype html>/)
    expect(got.text).not.toMatch(/<script|<link|<img|<iframe|\bon\w+=|style="|@import|url\(/)
  })

  it('is allowed its own style by its hash, and nothing else', async () => {
    const got = await api.call('GET', path, { key: null })
    const style = /<style>([\s\S]*?)<\/style>/.exec(got.text)?.[1] ?? ''
    const hash = createHash('sha256').update(style).digest('base64')
    expect(got.headers.get('content-security-policy')).toContain(
      `default-src 'none'; style-src 'sha256-${hash}'`,
    )
  })

  it('has every link within it lead somewhere', async () => {
    const got = await api.call('GET', path, { key: null })
    const ids = new Set([...got.text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))
    const links = [...got.text.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id)
    expect(links.length).toBeGreaterThan(5)
    for (const link of links) expect(ids, link).toContain(link)
    for (const [, other] of got.text.matchAll(/href="(\/[^"]+)"/g)) {
      expect((await api.call('GET', other ?? '')).status, other).toBe(200)
    }
  })
})

describe('the reference', () => {
  it('shows every call with its path', async () => {
    const { text } = await api.call('GET', '/docs')
    for (const op of OPERATIONS) {
      expect(text).toContain(`id="${op.id}"`)
      expect(text).toContain(`<span class="${op.method}">${op.method.toUpperCase()}</span> ${op.path}</p>`)
    }
  })

  it('explains every code where the type of a problem points', async () => {
    const { text } = await api.call('GET', '/docs/errors')
    for (const code of Object.keys(ERROR_CODES)) expect(text).toContain(`<h3 id="${code}">`)
    const refused = await api.call('GET', '/v1/jobs', { key: null })
    expect(refused.body.type).toBe(`${PUBLIC_URL}/docs/errors#unauthorized`)
  })

  it('escapes what it shows', () => {
    const shown = html`<p title="${'"><b>'}">${prose("`<i>` & **<u>** '")}</p>`
    expect(shown.text).toBe(
      '<p title="&quot;&gt;&lt;b&gt;"><code>&lt;i&gt;</code> &amp; <strong>&lt;u&gt;</strong> &#39;</p>',
    )
  })
})
