import { fileURLToPath } from 'node:url'
import {
  EnvironmentReader,
  type LimitDefaults,
  LOG_LEVELS,
  readLimits,
  type TrustedProxies,
} from '@workly/services'
import { type ImageSettings, readImageSettings } from '@workly/worker/image-settings'

/** What the embedded default reads from its environment; everything has a default. */
export interface StandaloneEnvironment {
  /** `WORKLY_PORT`. */
  port: number
  /** `WORKLY_DATA_DIR`: the database, its log, the keys and the credentials. */
  dataDir: string
  /** `WORKLY_SHUTDOWN_GRACE`, in seconds. */
  shutdownGraceSeconds: number
  logLevel: (typeof LOG_LEVELS)[number]
  /** `WORKLY_LIMIT_*`. */
  limits: LimitDefaults
  /** `WORKLY_TRUSTED_PROXIES`: whose `X-Forwarded-For` is believed. */
  isTrusted: TrustedProxies
  /** `WORKLY_IMAGE_EXECUTOR` and what belongs to it: checked here, used by the worker. */
  images: ImageSettings
  /** All of it, for the processes that this one starts. */
  all: NodeJS.ProcessEnv
}

const DEFAULT_DATA_DIR = fileURLToPath(new URL('../../../.workly', import.meta.url))

/** @throws Error with one sentence for each variable that is bad */
export function readStandaloneEnv(): StandaloneEnvironment {
  const read = new EnvironmentReader(process.env)
  const env: StandaloneEnvironment = {
    port: read.wholeNumber('WORKLY_PORT', 7337, 1, 65_535),
    dataDir: read.text('WORKLY_DATA_DIR') ?? DEFAULT_DATA_DIR,
    shutdownGraceSeconds: read.wholeNumber('WORKLY_SHUTDOWN_GRACE', 25, 0, 3_600),
    logLevel: read.choice('WORKLY_LOG_LEVEL', LOG_LEVELS, 'info'),
    limits: readLimits(read),
    isTrusted: read.trustedProxies(),
    images: readImageSettings(read),
    all: process.env,
  }
  read.check()
  return env
}

/**
 * Sets what next-auth and Next take from the environment alone, and from nowhere else.
 * @param url where the console is reached
 */
export function setConsoleEnvironment(url: string, authSecret: string): void {
  Object.assign(process.env, {
    NODE_ENV: 'production',
    NEXTAUTH_URL: url,
    NEXTAUTH_SECRET: authSecret,
    NEXT_TELEMETRY_DISABLED: '1',
  })
}
