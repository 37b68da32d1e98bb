import { createPrisma, createSql } from '@workly/db'
import { EnvironmentReader, type MakeCall, readServicesEnvironment, type Services } from '@workly/services'
import { environment } from './env.ts'

/** As long as the API gives PostgreSQL: longer than any of a page's statements takes. */
const ANSWER_WITHIN_MS = 30_000

/** What the console stands on, once per process. */
export interface ConsoleComposition {
  services: Services
  /** Shown at sign-in: where a person finds their first e-mail address and password. Only in the embedded default. */
  signInHint: string | null
  /** The project that a call of the API from this machine acts in without a key, by its slug. Only there. */
  keylessProject: string | null
  /** Makes test calls, through the network guard. */
  makeCall: MakeCall
}

/** Next keeps several copies of a module; what is one per process lies on globalThis. */
const KEY = Symbol.for('workly.console')

interface Holder {
  [KEY]?: ConsoleComposition
}

/** Hands the console what its process has composed already. */
export function setComposition(composition: ConsoleComposition): void {
  ;(globalThis as Holder)[KEY] = composition
}

/**
 * What this process has composed before its first request.
 * @throws Error when it has not
 */
export function composition(): ConsoleComposition {
  const composed = (globalThis as Holder)[KEY]
  if (!composed) throw new Error('the console was not composed')
  return composed
}

/**
 * What a process of the console's own stands on, from its environment.
 * @param makeCall makes test calls on those services; here, Next's bundler would take the caller in
 * @throws Error naming a variable that is missing
 */
export function composeFromEnv(makeCall: (services: Services) => MakeCall): ConsoleComposition {
  const read = new EnvironmentReader(environment())
  const { databaseUrl, ...settings } = readServicesEnvironment(read)
  read.check()
  const sql = createSql(databaseUrl, { max: 10, name: 'workly console', answerWithinMs: ANSWER_WITHIN_MS })
  const prisma = createPrisma(databaseUrl, {
    max: 5,
    name: 'workly console',
    answerWithinMs: ANSWER_WITHIN_MS,
  })
  const services = { sql, prisma, ...settings }
  return { services, signInHint: null, keylessProject: null, makeCall: makeCall(services) }
}
