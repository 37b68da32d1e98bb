import { createPrisma, createSql } from '@workly/db'
import { EnvironmentReader, readServicesEnvironment, type Services } from '@workly/services'
import { environment } from './env.ts'

/** What the console stands on, once per process. */
export interface ConsoleComposition {
  services: Services
  /** Shown at sign-in: where a person finds their first e-mail address and password. Only in the embedded default. */
  signInHint: string | null
  /** The project that a call of the API from this machine acts in without a key, by its slug. Only there. */
  keylessProject: string | null
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
 * What this process has composed; a process of the console's own composes from its environment at the first request.
 * @throws Error naming a variable that is missing
 */
export function composition(): ConsoleComposition {
  const holder = globalThis as Holder
  holder[KEY] ??= composeFromEnv()
  return holder[KEY]
}

function composeFromEnv(): ConsoleComposition {
  const read = new EnvironmentReader(environment())
  const { databaseUrl, ...settings } = readServicesEnvironment(read)
  read.check()
  const sql = createSql(databaseUrl, { max: 10, name: 'workly console' })
  const prisma = createPrisma(databaseUrl, { max: 5, name: 'workly console' })
  return { services: { sql, prisma, ...settings }, signInHint: null, keylessProject: null }
}
