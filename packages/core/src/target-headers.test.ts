import { describe, expect, it } from 'vitest'
import { checkTargetHeaders } from './target-headers.ts'

const messages = (headers: Record<string, string>) => checkTargetHeaders(headers).map(issue => issue.message)

describe('checkTargetHeaders', () => {
  it('takes ordinary headers', () => {
    const headers = {
      Authorization: 'Bearer abc',
      'User-Agent': 'mine/1.0',
      'Content-Type': 'text/plain; charset=utf-8',
      'X-Custom': 'value with blanks and \ttab',
      'X-Latin': 'caf\u00e9',
      'X-Empty': '',
      "!#$%&'*+-.^_`|~": 'a name may look so',
      'X-Callback': 'not the header callback',
    }
    expect(checkTargetHeaders(headers)).toEqual([])
  })

  it.each([
    'Host',
    'Content-Length',
    'Transfer-Encoding',
    'Connection',
    'Keep-Alive',
    'TE',
    'Trailer',
    'Proxy-Authorization',
    'proxy-connection',
    'Expect',
    'Upgrade',
    'callback',
    'Callback',
    'Workly-Run-Id',
    'webhook-id',
    'Webhook-Signature',
    'X-Scheduler-JobId',
  ])('refuses %s, naming it and its field', name => {
    expect(checkTargetHeaders({ [name]: 'x' })).toEqual([
      { field: `headers.${name}`, message: `The header ${name} is set by Workly and cannot be given.` },
    ])
  })

  it.each(['x a', 'x:a', 'x\r\ny', 'ž', 'x"', '(x)'])('refuses the name %j, which is no token', name => {
    expect(messages({ [name]: '1' })[0]).toContain('is no header name')
  })

  it('refuses an empty name', () => {
    expect(messages({ '': '1' })).toEqual(['A header needs a name.'])
  })

  it.each(['a\r\nx-b: 1', 'a\nb', 'a\rb', 'a\0b'])(
    'refuses the value %j, which would split the header',
    value => {
      expect(messages({ 'x-a': value })).toEqual(['The value of x-a may not hold a line break or NUL.'])
    },
  )

  it.each(['\u0001', '\u007f', 'ž', '😀'])('refuses the value %j, which a header cannot carry', value => {
    expect(messages({ 'x-a': value })[0]).toContain('use Latin-1 without control characters')
  })

  it('refuses a header given twice in different case', () => {
    expect(messages({ 'X-A': '1', 'x-a': '2' })).toEqual(['X-A and x-a are the same header; give it once.'])
  })

  it('names every offending header at once', () => {
    const fields = checkTargetHeaders({ Host: 'x', ok: '1', 'b d': '2' }).map(issue => issue.field)
    expect(fields).toEqual(['headers.Host', 'headers.b d'])
  })

  it('bounds the number of headers, naming the bound', () => {
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`x-${i}`, '']))
    expect(checkTargetHeaders(many(50))).toEqual([])
    expect(messages(many(51))).toEqual(['51 headers are given; at most 50 are allowed.'])
    expect(checkTargetHeaders(many(3), { maxHeaders: 2, maxBytes: 100 })).toHaveLength(1)
  })

  it('bounds their size together, naming the bound', () => {
    expect(checkTargetHeaders({ 'x-a': 'v'.repeat(16 * 1024 - 3) })).toEqual([])
    expect(messages({ 'x-a': 'v'.repeat(16 * 1024 - 2) })).toEqual([
      'The headers have 16385 bytes together; at most 16384 are allowed.',
    ])
  })
})
