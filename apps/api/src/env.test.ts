import { expect, it } from 'vitest'
import { readApiEnv } from './env.ts'

const GOOD = {
  DATABASE_URL: 'postgres://workly:hush@db.internal:5432/workly',
  WORKLY_PUBLIC_URL: 'https://workly.example.com/',
  WORKLY_ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
}

it('fills in what is not given', () => {
  expect(readApiEnv(GOOD)).toMatchObject({
    publicUrl: 'https://workly.example.com',
    host: '127.0.0.1',
    port: 7337,
    requests: {
      bytes: 2_097_152,
      rate: { perSecond: 100, burst: 200 },
      unauthorized: { perSecond: 5, burst: 100 },
    },
    logLevel: 'info',
    allowHttp: false,
  })
})

it('reads what is given', () => {
  const env = readApiEnv({
    ...GOOD,
    HOST: '0.0.0.0',
    PORT: '8080',
    WORKLY_LIMIT_REQUEST_BYTES: '1000',
    WORKLY_LIMIT_REQUESTS_PER_SECOND: '7',
    WORKLY_LIMIT_REQUEST_BURST: '9',
    WORKLY_LIMIT_UNAUTHORIZED_PER_SECOND: '3',
    WORKLY_LIMIT_UNAUTHORIZED_BURST: '4',
    WORKLY_TRUSTED_PROXIES: '192.0.2.0/24',
    WORKLY_LIMIT_JOBS_PER_ORGANIZATION: '12',
    WORKLY_ALLOW_HTTP: '1',
    WORKLY_ALLOWED_PRIVATE_TARGETS: '10.0.0.0/8',
  })
  expect(env).toMatchObject({
    host: '0.0.0.0',
    port: 8080,
    requests: {
      bytes: 1_000,
      rate: { perSecond: 7, burst: 9 },
      unauthorized: { perSecond: 3, burst: 4 },
    },
    limits: { jobs_per_organization: 12 },
    allowHttp: true,
  })
  expect(['192.0.2.9', '10.0.0.1'].map(env.isTrusted)).toEqual([true, false])
  expect(env.allowedPrivate.map(cidr => cidr.text)).toEqual(['10.0.0.0/8'])
})

it('says all that is missing at once', () => {
  expect(() => readApiEnv({})).toThrow(
    /DATABASE_URL[\s\S]*WORKLY_PUBLIC_URL|WORKLY_PUBLIC_URL[\s\S]*DATABASE_URL/,
  )
})

it.each([
  ['DATABASE_URL', 'mysql://root:hush@db/x'],
  ['WORKLY_PUBLIC_URL', 'workly.example.com'],
  ['WORKLY_ENCRYPTION_KEYS', 'k1:hush'],
  ['PORT', '65536'],
  ['PORT', '80a'],
  ['WORKLY_LIMIT_REQUEST_BYTES', '0'],
  ['WORKLY_LIMIT_REQUESTS_PER_SECOND', '-1'],
  ['WORKLY_LIMIT_REQUEST_BURST', '1.5'],
  ['WORKLY_LIMIT_UNAUTHORIZED_PER_SECOND', '0'],
  ['WORKLY_LIMIT_UNAUTHORIZED_BURST', 'all'],
  ['WORKLY_TRUSTED_PROXIES', 'the proxy'],
  ['WORKLY_LIMIT_JOBS_PER_ORGANIZATION', 'many'],
  ['WORKLY_ALLOW_HTTP', 'yes'],
  ['WORKLY_ALLOWED_PRIVATE_TARGETS', '10.0.0.0/33'],
  ['WORKLY_LOG_LEVEL', 'loud'],
])('names %s where it is %s, and shows no secret', (name, value) => {
  const read = () => readApiEnv({ ...GOOD, [name]: value })
  expect(read).toThrow(name)
  expect(read).not.toThrow(/hush/)
})
