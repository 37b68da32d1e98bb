import { callerKey, type Person, readSession, type Session } from '@workly/services'
import { cookies } from 'next/headers'
import { getServerSession, type NextAuthOptions } from 'next-auth'
import CredentialsProvider from 'next-auth/providers/credentials'
import { cache } from 'react'
import { composition } from './compose.ts'
import { sessionCookie } from './cookies.ts'
import { authSecret, isHttps, setAuthUrl } from './env.ts'
import { CLIENT_HEADER } from './features/session/client-address.ts'
import { Gate } from './features/session/gate.ts'
import { keepKnownBrowser, knownBrowserCookie } from './features/session/known-browser-cookie.ts'
import { signInWithPassword } from './features/session/password-sign-in.ts'
import { SignInThrottle } from './features/session/sign-in-throttle.ts'
import { log } from './log.ts'

const THIRTY_DAYS = 30 * 24 * 3600
const throttle = new SignInThrottle()
const gate = new Gate(2, 50)

async function authorize(given: Record<string, unknown> | undefined, headers: Record<string, unknown>) {
  const desk = { services: composition().services, throttle, gate, secret: authSecret(), log: log() }
  const jar = await cookies()
  const client = headers[CLIENT_HEADER]
  return signInWithPassword(
    desk,
    {
      email: given?.email,
      password: given?.password,
      caller: callerKey(typeof client === 'string' ? client : ''),
      knownBrowser: jar.get(knownBrowserCookie(isHttps()))?.value,
      nowMs: Date.now(),
    },
    text => keepKnownBrowser(text, isHttps()),
  )
}

/** What the encrypted token in the cookie says. A token made before there were epochs is of the first. */
function sessionOf(token: { sub?: string; epoch?: unknown }): Session | null {
  if (token.sub === undefined) return null
  return { userId: token.sub, epoch: typeof token.epoch === 'number' ? token.epoch : 0 }
}

/** Looks the session up; where that fails it is neither live nor over, and the cookie stays. */
async function personOf(session: Session | null): Promise<{ person: Person | null; failed: boolean }> {
  if (!session) return { person: null, failed: false }
  try {
    return { person: await readSession(composition().services, session), failed: false }
  } catch (err) {
    log().error({ err }, 'a session cannot be looked up')
    return { person: null, failed: true }
  }
}

/**
 * E-mail with password; the session is an encrypted token in a cookie that is HttpOnly, SameSite=Lax, and Secure over
 * https. It only says who somebody is and since when: whether the session still lives, and what they may do, is read
 * from the database on every request.
 */
export function authOptions(): NextAuthOptions {
  setAuthUrl()
  return {
    secret: authSecret(),
    session: { strategy: 'jwt', maxAge: THIRTY_DAYS },
    cookies: { sessionToken: sessionCookie(isHttps()) },
    pages: { signIn: '/sign-in', signOut: '/', error: '/sign-in' },
    providers: [
      CredentialsProvider({
        name: 'E-mail and password',
        credentials: { email: { type: 'email' }, password: { type: 'password' } },
        authorize: (credentials, request) => authorize(credentials, request.headers ?? {}),
      }),
    ],
    callbacks: {
      jwt: ({ token, user }) =>
        user && 'sessionEpoch' in user ? { ...token, epoch: user.sessionEpoch } : token,
      async session({ session: { expires }, token }) {
        const session = sessionOf(token)
        const { person, failed } = await personOf(session)
        return { expires, user: person ?? undefined, session: person ? session : null, failed }
      },
    },
    logger: {
      error: (code, metadata) =>
        log().error({ code, err: metadata instanceof Error ? metadata : undefined }, 'sign-in'),
      warn: code => log().warn({ code }, 'sign-in'),
      debug: () => undefined,
    },
  }
}

/** Who is signed in, and the session that says so. */
export type SignedIn = Person & { session: Session }

/**
 * Read once per request; null for nobody, and for a session that is over.
 * @throws Error when the session cannot be looked up
 */
export const signedIn = cache(async (): Promise<SignedIn | null> => {
  const found: unknown = await getServerSession(authOptions())
  if (typeof found !== 'object' || found === null) return null
  const { user, session, failed } = found as { user?: Person; session?: Session | null; failed?: boolean }
  if (failed) throw new Error('the session cannot be looked up')
  return user && session ? { ...user, session } : null
})

export async function signedInSession(): Promise<Session | null> {
  return (await signedIn())?.session ?? null
}
