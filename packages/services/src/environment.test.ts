import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { EnvironmentReader, readServicesEnvironment } from './environment.ts'
import { LIMIT_DEFAULTS } from './limits.ts'

const good = {
  DATABASE_URL: 'postgres://u:p@127.0.0.1:5432/w',
  WORKLY_ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
}

function read(env: Record<string, string>) {
  const reader = new EnvironmentReader(env)
  const found = readServicesEnvironment(reader)
  reader.check()
  return found
}

test('what is not set has the safe default', () => {
  expect(read(good)).toMatchObject({ limits: LIMIT_DEFAULTS, allowHttp: false, allowedPrivate: [] })
})

test('limits, open networks and http are read', () => {
  const found = read({
    ...good,
    WORKLY_LIMIT_PROJECT_CALLS_IN_FLIGHT: '5000',
    WORKLY_ALLOW_HTTP: 'loopback',
    WORKLY_ALLOWED_PRIVATE_TARGETS: '127.0.0.0/8, ::1/128',
  })
  expect(found.limits.project_calls_in_flight).toBe(5000)
  expect(found.allowHttp).toBe('loopback')
  expect(found.allowedPrivate).toHaveLength(2)
})

test('everything wrong is told at once, by name, without the value of a secret', () => {
  const bad = {
    DATABASE_URL: 'mysql://user:hunter2@db/w',
    WORKLY_ENCRYPTION_KEYS: 'k1:c2hvcnQ=',
    WORKLY_LIMIT_JOBS_PER_ORGANIZATION: 'many',
    WORKLY_ALLOW_HTTP: 'yes',
    WORKLY_ALLOWED_PRIVATE_TARGETS: '10.0.0.0/99',
  }
  try {
    read(bad)
    expect.unreachable()
  } catch (error) {
    const message = String(error)
    for (const name of Object.keys(bad)) expect(message).toContain(name)
    expect(message).not.toContain('hunter2')
    expect(message).not.toContain('c2hvcnQ')
  }
})
