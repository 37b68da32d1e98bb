import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import { readVectors, sharedVectors } from '@workly/core/testing'
import { describe, expect, it } from 'vitest'
import { FixedResolver } from '../test/fixed-resolver.ts'
import { AddressGuard } from './address-guard.ts'
import { GuardedConnect } from './guarded-connect.ts'
import { HttpCaller } from './http.ts'
import { targetOf } from './target.ts'

interface SsrfCase {
  id: string
  url: string
  resolves?: Record<string, string[]>
  expect: 'allowed' | 'blocked' | 'invalid'
  also?: string[]
  why: string
}

const file = new URL('../test/vectors/ssrf.jsonl', import.meta.url)
const cases = readVectors<SsrfCase>(file)

/** What the guard decides, by the same steps as a call but for the connection. */
async function decide({ url, resolves }: SsrfCase): Promise<string> {
  const target = targetOf(url, false)
  if (typeof target === 'string') return 'invalid'
  const addresses = target.addresses ?? (await new FixedResolver(resolves ?? {}).resolve(target.host))
  return new AddressGuard([]).allowsAll(addresses) ? 'allowed' : 'blocked'
}

describe('ssrf vectors', () => {
  it('are the shared ones, where those are at hand', () => {
    const own = readFileSync(file, 'utf8')
    expect(own).toBe(sharedVectors('ssrf.jsonl') ?? own)
    expect(cases.length).toBeGreaterThanOrEqual(60)
  })

  it.each(cases)('$id: $why', async test => {
    expect([test.expect, ...(test.also ?? [])]).toContain(await decide(test))
  })

  it.each(cases.filter(test => test.expect !== 'allowed'))('$id makes no call: $why', async test => {
    const resolver = new FixedResolver(test.resolves ?? {})
    const guarded = new HttpCaller({
      allowedPrivate: [],
      allowHttp: false,
      userAgent: 'Workly/test',
      resolver,
    })
    const call = { url: test.url, method: 'GET', headers: {}, body: null, timeoutMs: 5000, scope: 'prj' }
    const result = await guarded.call(call, 0)
    expect(result.class).toBe('blocked')
    expect(result.timings.connect).toBeNull()
    await guarded.close()
  })
})

describe('GuardedConnect', () => {
  it('judges the addresses itself, whoever asks for the connection', () => {
    const rules = { guard: new AddressGuard([]), secureContext: createSecureContext() }
    const destination = { host: 'mixed.example', port: 443, secure: true }
    for (const addresses of [
      ['10.0.0.5'],
      ['93.184.215.14', '10.0.0.5'],
      ['93.184.215.14', '::ffff:10.0.0.5'],
    ]) {
      const failures: (string | undefined)[] = []
      new GuardedConnect({ ...destination, addresses }, rules, failure => failures.push(failure?.class))
      expect(failures).toEqual(['blocked'])
    }
  })
})
