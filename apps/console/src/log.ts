import pino, { type Logger } from 'pino'

let logger: Logger | undefined

/** Structured lines on stdout: ids and causes, never bodies or secrets (spec section 13). */
export function log(): Logger {
  logger ??= pino({ name: 'workly-console' })
  return logger
}
