import { expect, test } from 'vitest'
import { deprecated, verdict } from './audit.mjs'

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

test('packages that the lockfile calls deprecated are named', () => {
  const entry = (name: string, more = '') => `  ${name}:\n    resolution: {integrity: x}\n${more}\n`
  const lockfile = `packages:\n\n${entry('good@1.0.0')}${entry("'@old/one@1.0.0'", '    deprecated: Use another.\n')}${entry('new@2.0.0')}`
  expect(deprecated(lockfile)).toBe("Deprecated when they were resolved: '@old/one@1.0.0'.")
  expect(deprecated(entry('good@1.0.0'))).toBe(
    'No package of the lockfile was deprecated when it was resolved.',
  )
})
