import { describe, expect, it } from 'vitest'
import { SignInThrottle } from './sign-in-throttle.ts'

const MINUTE = 60_000

describe('SignInThrottle', () => {
  it('closes an address after ten failures and opens it when the first is 15 minutes old', () => {
    const throttle = new SignInThrottle()
    for (let i = 0; i < 10; i++) {
      expect(throttle.isClosed('ada@example.com', i * MINUTE)).toBe(false)
      throttle.failed('ada@example.com', i * MINUTE)
    }
    expect(throttle.isClosed('ada@example.com', 10 * MINUTE)).toBe(true)
    expect(throttle.isClosed('ada@example.com', 15 * MINUTE - 1)).toBe(true)
    expect(throttle.isClosed('ada@example.com', 15 * MINUTE)).toBe(false)
  })

  it('closes one address and no other', () => {
    const throttle = new SignInThrottle()
    for (let i = 0; i < 10; i++) throttle.failed('ada@example.com', i)
    expect(throttle.isClosed('eve@example.com', 20)).toBe(false)
  })

  it('forgets failures once the right password came', () => {
    const throttle = new SignInThrottle()
    for (let i = 0; i < 9; i++) throttle.failed('ada@example.com', i)
    throttle.succeeded('ada@example.com')
    throttle.failed('ada@example.com', 10)
    expect(throttle.isClosed('ada@example.com', 11)).toBe(false)
  })

  it('holds a bounded number of addresses', () => {
    const throttle = new SignInThrottle()
    for (let i = 0; i < 10; i++) throttle.failed('first@example.com', 0)
    for (let i = 0; i < 10_000; i++) throttle.failed(`${i}@example.com`, 1)
    expect(throttle.isClosed('first@example.com', 2)).toBe(false)
  })
})
