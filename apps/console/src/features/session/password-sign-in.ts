import { type Services, type SignedInUser, verifyPassword } from '@workly/services'
import type { Logger } from 'pino'
import { type Gate, GateFull } from './gate.ts'
import { knownBrowserText, readKnownBrowser } from './known-browser.ts'
import type { SignInThrottle } from './sign-in-throttle.ts'

/** What the console's process has for signing people in. */
export interface SignInDesk {
  services: Services
  throttle: SignInThrottle
  gate: Gate
  /** The key of session tokens, which the marks of known browsers are made with too. */
  secret: string
  log: Pick<Logger, 'warn' | 'error'>
}

/** One try, as it came. Nothing of it is known to be what it should be. */
export interface SignInTry {
  email: unknown
  password: unknown
  /** Who tries, see `callerKey`. */
  caller: string
  /** What the browser has kept of an earlier sign-in. */
  knownBrowser: string | undefined
  nowMs: number
}

/**
 * Signs in with e-mail and password.
 * @param keep has the browser keep that it has signed in to this account
 * @returns null when they do not fit
 * @throws Error whose message is one of the sign-in page's words: `TooManyTries`, `Busy` or `Unavailable`, and nothing
 *   else, since next-auth puts it into an address
 */
export async function signInWithPassword(
  desk: SignInDesk,
  { email, password, caller, knownBrowser, nowMs }: SignInTry,
  keep: (text: string) => Promise<void>,
): Promise<SignedInUser | null> {
  if (typeof email !== 'string' || typeof password !== 'string') return null
  const account = email.trim().toLowerCase().slice(0, 254)
  const browser = readKnownBrowser(desk.secret, account, knownBrowser)
  const attempt = desk.throttle.begin({ account, address: caller, browser }, nowMs)
  if (!attempt) {
    desk.log.warn({ caller, known: browser !== null }, 'sign-in refused: too many wrong passwords')
    throw new Error('TooManyTries')
  }
  try {
    const user = await desk.gate.pass(() => verifyPassword(desk.services, email, password))
    if (!user) return null
    attempt.isNoGuess()
    await keep(knownBrowserText(desk.secret, account))
    return user
  } catch (error) {
    attempt.isNoGuess()
    if (error instanceof GateFull) throw new Error('Busy')
    desk.log.error({ err: error }, 'sign-in failed')
    throw new Error('Unavailable')
  }
}
