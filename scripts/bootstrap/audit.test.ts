import { expect, test } from 'vitest'
import { verdict } from './audit.mjs'

test.each([
  [0, 'No known vulnerabilities found', 0],
  [1, '2 vulnerabilities found\nSeverity: 1 moderate | 1 high', 1],
  [1, 'ERR_PNPM_AUDIT_BAD_RESPONSE  The audit endpoint responded with 405', 3],
  [1, 'request to https://registry.example.com failed, reason: getaddrinfo ENOTFOUND', 3],
  // However it is said: not clean.
  [127, 'spawn pnpm ENOENT', 1],
])('an audit that ends with %i and %s ends with %i', (code, output, expected) => {
  expect(verdict({ code, output }).code).toBe(expected)
})
