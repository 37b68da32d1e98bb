import { describe, expect, it } from 'vitest'
import { type Guesser, SignInThrottle } from './sign-in-throttle.ts'

const MINUTE = 60_000
const ADA: Guesser = { account: 'ada@example.com', address: '198.51.100.1', browser: null }
const somewhere = (n: number) => `10.${Math.floor(n / 65_536)}.${Math.floor(n / 256) % 256}.${n % 256}`

/** How many of so many tries are let through. */
function letThrough(throttle: SignInThrottle, tries: number, who: (n: number) => Guesser, now = 0): number {
  let through = 0
  for (let n = 0; n < tries; n++) if (throttle.begin(who(n), now)) through += 1
  return through
}

describe('the throttle of sign-ins', () => {
  it('closes an account to an address after ten failures and opens it when the first is 15 minutes old', () => {
    const throttle = new SignInThrottle()
    for (let i = 0; i < 10; i++) expect(throttle.begin(ADA, i * MINUTE)).not.toBeNull()
    expect(throttle.begin(ADA, 15 * MINUTE - 1)).toBeNull()
    expect(throttle.begin(ADA, 15 * MINUTE)).not.toBeNull()
  })

  it('counts a try from its beginning, so that a hundred at once are no more than ten', () => {
    expect(letThrough(new SignInThrottle(), 100, () => ADA)).toBe(10)
  })

  it('does not count what was right, or was not looked at', () => {
    const throttle = new SignInThrottle()
    for (let i = 0; i < 50; i++) {
      const attempt = throttle.begin(ADA, i)
      expect(attempt).not.toBeNull()
      attempt?.isNoGuess()
      attempt?.isNoGuess()
    }
    expect(throttle.size).toBe(0)
  })

  it('closes an address that tries many accounts, and no other address', () => {
    const throttle = new SignInThrottle()
    const each = (n: number) => ({ ...ADA, account: `${n}@example.com` })
    expect(letThrough(throttle, 100, each)).toBe(30)
    expect(throttle.begin({ ...ADA, address: '198.51.100.2' }, 1)).not.toBeNull()
  })

  it('closes an account that many addresses try', () => {
    const throttle = new SignInThrottle()
    expect(letThrough(throttle, 500, n => ({ ...ADA, address: somewhere(n) }))).toBe(100)
    expect(throttle.begin({ ...ADA, address: '198.51.100.9', account: 'eve@example.com' }, 1)).not.toBeNull()
  })

  it('lets nobody shut a person out of a browser that has signed in before', () => {
    const throttle = new SignInThrottle()
    const own = { ...ADA, browser: 'of Ada' }
    letThrough(throttle, 500, n => ({ ...ADA, address: somewhere(n) }))
    letThrough(throttle, 500, n => ({ account: `${n}@example.com`, address: ADA.address, browser: null }))
    expect(throttle.begin(ADA, 1)).toBeNull()
    expect(letThrough(throttle, 100, () => own, 1)).toBe(10)
  })

  it('is not prolonged by tries that it refuses', () => {
    const throttle = new SignInThrottle()
    letThrough(throttle, 10, () => ADA)
    for (let i = 1; i < 15; i++) expect(throttle.begin(ADA, i * MINUTE)).toBeNull()
    expect(throttle.begin(ADA, 15 * MINUTE)).not.toBeNull()
  })

  it('holds a bounded number of things in mind, more than can be tried within its window', () => {
    const throttle = new SignInThrottle()
    letThrough(throttle, 10, () => ADA)
    const crowd = (n: number) => ({ account: `${n}@example.com`, address: somewhere(n), browser: null })
    // Ten a second for 15 minutes.
    letThrough(throttle, 9_000, crowd)
    expect(throttle.begin(ADA, 1)).toBeNull()
    letThrough(throttle, 30_000, crowd)
    expect(throttle.size).toBe(50_000)
  })
})
