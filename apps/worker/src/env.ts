import {
  EnvironmentReader,
  LOG_LEVELS,
  type Retention,
  readRetention,
  readServicesEnvironment,
  type ServicesEnvironment,
} from '@workly/services'
import { type ImageSettings, readImageSettings } from './containers/image-settings.ts'

/** What a worker process reads from its environment. */
export interface WorkerEnvironment extends ServicesEnvironment {
  /** `WORKLY_WORKER_CONCURRENCY`: deliveries under way at once in this process. */
  concurrency: number
  /** `WORKLY_PUBLIC_URL`, without a slash at its end: the base of callback URLs. */
  publicUrl: string
  /** `WORKLY_RUN_RETENTION`, `WORKLY_RETENTION`. */
  retention: Retention
  /** `WORKLY_SHUTDOWN_GRACE`, in milliseconds. */
  shutdownGraceMs: number
  logLevel: (typeof LOG_LEVELS)[number]
  /** `WORKLY_IMAGE_EXECUTOR` and what belongs to it. */
  images: ImageSettings
}

/** @throws Error with one sentence for each variable that is missing or bad */
export function readWorkerEnv(): WorkerEnvironment {
  const read = new EnvironmentReader(process.env)
  const env: WorkerEnvironment = {
    ...readServicesEnvironment(read),
    concurrency: read.wholeNumber('WORKLY_WORKER_CONCURRENCY', 1_000, 1, 10_000),
    publicUrl: read
      .url('WORKLY_PUBLIC_URL', ['https:', 'http:'], 'https://workly.example.com')
      .replace(/\/+$/, ''),
    retention: readRetention(read),
    shutdownGraceMs: read.wholeNumber('WORKLY_SHUTDOWN_GRACE', 25, 0, 3_600) * 1000,
    images: readImageSettings(read),
    logLevel: read.choice('WORKLY_LOG_LEVEL', LOG_LEVELS, 'info'),
  }
  read.check()
  return env
}
