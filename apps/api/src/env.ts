import {
  type Environment,
  EnvironmentReader,
  LOG_LEVELS,
  readServicesEnvironment,
  type ServicesEnvironment,
  type TrustedProxies,
} from '@workly/services'
import { REQUEST_LIMITS, type RequestLimits } from './api-env.ts'

/** What the API's own process reads from its environment. */
export interface ApiEnvironment extends ServicesEnvironment {
  /** `WORKLY_PUBLIC_URL`, without a slash at its end. */
  publicUrl: string
  host: string
  port: number
  requests: RequestLimits
  /** `WORKLY_TRUSTED_PROXIES`: whose `X-Forwarded-For` is believed. */
  isTrusted: TrustedProxies
  /** `WORKLY_OPERATOR_TOKEN`: opens `/metrics`. */
  operatorToken: string | undefined
  logLevel: (typeof LOG_LEVELS)[number]
}

const MOST_BYTES = 1024 ** 3
const MOST_REQUESTS = 1_000_000

/** @throws Error with one sentence for each variable that is missing or bad; no value of a secret is in it */
export function readApiEnv(env: Environment = process.env): ApiEnvironment {
  const read = new EnvironmentReader(env)
  const { bytes, rate, unauthorized } = REQUEST_LIMITS
  const found: ApiEnvironment = {
    ...readServicesEnvironment(read),
    publicUrl: withoutSlash(read.url('WORKLY_PUBLIC_URL', ['https:', 'http:'], 'https://workly.example.com')),
    host: read.text('HOST') ?? '127.0.0.1',
    port: read.wholeNumber('PORT', 7337, 1, 65_535),
    requests: {
      bytes: read.wholeNumber('WORKLY_LIMIT_REQUEST_BYTES', bytes, 1, MOST_BYTES),
      rate: {
        perSecond: read.wholeNumber('WORKLY_LIMIT_REQUESTS_PER_SECOND', rate.perSecond, 1, MOST_REQUESTS),
        burst: read.wholeNumber('WORKLY_LIMIT_REQUEST_BURST', rate.burst, 1, MOST_REQUESTS),
      },
      unauthorized: {
        perSecond: read.wholeNumber(
          'WORKLY_LIMIT_UNAUTHORIZED_PER_SECOND',
          unauthorized.perSecond,
          1,
          MOST_REQUESTS,
        ),
        burst: read.wholeNumber('WORKLY_LIMIT_UNAUTHORIZED_BURST', unauthorized.burst, 1, MOST_REQUESTS),
      },
    },
    isTrusted: read.trustedProxies(),
    operatorToken: read.text('WORKLY_OPERATOR_TOKEN'),
    logLevel: read.choice('WORKLY_LOG_LEVEL', LOG_LEVELS, 'info'),
  }
  read.check()
  return found
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '')
}
