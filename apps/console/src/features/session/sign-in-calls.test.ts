import { expect, test } from 'vitest'
import { isCallbackUrl, isSignInCall } from './sign-in-calls.ts'

test.each([
  ['GET', ['csrf']],
  ['GET', ['session']],
  ['POST', ['callback', 'credentials']],
  ['POST', ['signout']],
])('%s %s is a call of signing in', (method, path) => {
  expect(isSignInCall(method, path)).toBe(true)
})

test.each([
  // Strangers would write into the log.
  ['POST', ['_log']],
  // next-auth answers these with 500 and its own words.
  ['GET', ['callback', 'credentials']],
  ['POST', ['callback', 'email']],
  ['POST', ['session']],
  ['GET', ['__proto__']],
  ['GET', []],
])('%s %s is none', (method, path) => {
  expect(isSignInCall(method, path)).toBe(false)
})

test.each([
  ['', true],
  ['/demo/demo/jobs', true],
  ['https://workly.example.com/sign-in', true],
  [' ', false],
  ['__proto__', false],
  ['javascript:alert(1)', false],
  ['//', false],
])('%j as the place to go back to: %s', (text, expected) => {
  expect(isCallbackUrl(text)).toBe(expected)
})
