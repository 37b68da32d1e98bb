import { describe, expect, it } from 'vitest'
import { MAX_TARGET_URL_LENGTH, parseTargetUrl } from './target-url.ts'

const strict = { allowHttp: false }

function messageOf(text: string, options: Parameters<typeof parseTargetUrl>[1] = strict): string {
  const parsed = parseTargetUrl(text, options)
  return parsed.ok ? `accepted as ${parsed.url.href}` : parsed.message
}

describe('parseTargetUrl', () => {
  it.each([
    ['HTTPS://Hooks.Example:443/Job?x=1#f', 'https://hooks.example/Job?x=1#f'],
    ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
    ['https://0177.0.0.1/', 'https://127.0.0.1/'],
    ['https://hooks.example./', 'https://hooks.example./'],
    ['https://my_host.example/', 'https://my_host.example/'],
    ['https://[2606:4700:0::1111]/', 'https://[2606:4700::1111]/'],
  ])('takes %s and normalises it', (text, href) => {
    const parsed = parseTargetUrl(text, strict)
    expect(parsed.ok && parsed.url.href).toBe(href)
  })

  it.each([
    ['', 'must begin with https://'],
    ['hooks.example/job', 'must begin with https://'],
    ['//hooks.example/job', 'must begin with https://'],
    ['https:hooks.example', 'must begin with https://'],
    ['https:\\\\hooks.example', 'must begin with https://'],
    ['ftp://hooks.example/', 'must begin with https://'],
    ['javascript:alert(1)', 'must begin with https://'],
    ['https://', 'malformed'],
    ['https://256.0.0.1/', 'malformed'],
    ['https://[::1/', 'malformed'],
    ['https://hooks.example:65536/', 'malformed'],
    ['https://hooks.example:0/', 'Port 0'],
    ['https://user@hooks.example/', 'credentials'],
    ['https://:password@hooks.example/', 'credentials'],
    ['https://hooks example/', 'write a blank as %20'],
    ['https://hooks.example/a b', 'write a blank as %20'],
    ['https://hooks.example/\n', 'control character'],
    ['htt\tps://hooks.example/', 'control character'],
    ['https://a..example/', 'no host name'],
    ['https://./', 'no host name'],
    [`https://${'a'.repeat(64)}.example/`, 'no host name'],
    [`https://${'a.'.repeat(127)}example/`, 'no host name'],
    ['http://hooks.example/', 'plain http is not called'],
  ])('refuses %j and says why', (text, why) => {
    expect(messageOf(text)).toContain(why)
  })

  it('refuses a URL longer than the bound, naming both lengths', () => {
    const at = (length: number) => `https://hooks.example/${'x'.repeat(length - 22)}`
    expect(messageOf(at(MAX_TARGET_URL_LENGTH))).toContain('accepted')
    expect(messageOf(at(MAX_TARGET_URL_LENGTH + 1))).toBe(
      'The URL has 2049 characters; at most 2048 are allowed.',
    )
  })

  it('takes http where the operator allows it', () => {
    expect(messageOf('http://hooks.example/', { allowHttp: true })).toContain('accepted')
    expect(messageOf('ftp://hooks.example/', { allowHttp: true })).toContain('https:// or http://')
  })

  it.each(['http://localhost:3000/', 'http://app.localhost/', 'http://127.9.9.9/', 'http://[::1]/'])(
    'takes %s where http is allowed to loopback',
    text => {
      expect(messageOf(text, { allowHttp: 'loopback' })).toContain('accepted')
    },
  )

  it.each([
    'http://hooks.example/',
    'http://10.0.0.1/',
    'http://localhost.example/',
    'http://127.0.0.1.example/',
  ])('refuses %s where http is allowed to loopback only', text => {
    expect(messageOf(text, { allowHttp: 'loopback' })).toContain('only taken for localhost')
  })
})
