import { describe, expect, it } from 'vitest'
import { contentSecurityPolicy } from './content-security-policy.ts'

describe('contentSecurityPolicy', () => {
  it('lets no inline script or style pass without the nonce', () => {
    const policy = contentSecurityPolicy('bm9uY2U=', { https: false, development: false })
    expect(policy).toContain("script-src 'self' 'nonce-bm9uY2U=' 'strict-dynamic'")
    expect(policy).not.toContain('unsafe')
    expect(policy).not.toContain('upgrade-insecure-requests')
  })

  it('asks for https where the console is reached by it', () => {
    expect(contentSecurityPolicy('n', { https: true, development: false })).toContain(
      'upgrade-insecure-requests',
    )
  })
})
