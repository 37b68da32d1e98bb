import { describe, expect, it } from 'vitest'
import { safeCallbackPath } from './callback-url.ts'

describe('safeCallbackPath', () => {
  it('keeps a path of this console, with its query', () => {
    expect(safeCallbackPath('/demo/demo/jobs/nightly?state=failed#runs')).toBe(
      '/demo/demo/jobs/nightly?state=failed#runs',
    )
  })

  it.each([
    undefined,
    null,
    '',
    'demo',
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example/',
    '/\t/evil.example/',
    '/..//evil.example/',
    'javascript:alert(1)',
    '/sign-in?callbackUrl=/',
    '/api/auth/signout',
  ])('answers the front page for %s', url => {
    expect(safeCallbackPath(url)).toBe('/')
  })
})
