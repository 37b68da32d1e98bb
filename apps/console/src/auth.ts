import { verifyPassword } from '@workly/services'
import { getServerSession, type NextAuthOptions } from 'next-auth'
import CredentialsProvider from 'next-auth/providers/credentials'
import { cache } from 'react'
import { composition } from './compose.ts'
import { authSecret, setAuthUrl } from './env.ts'
import { Gate, GateFull } from './features/session/gate.ts'
import { SignInThrottle } from './features/session/sign-in-throttle.ts'
import { log } from './log.ts'

const THIRTY_DAYS = 30 * 24 * 3600
const throttle = new SignInThrottle()
const gate = new Gate(2, 50)

async function signInWithPassword(email: string, password: string) {
  const key = email.trim().toLowerCase().slice(0, 254)
  // What is thrown here comes as `error` to the sign-in page, which has words for it.
  if (throttle.isClosed(key, Date.now())) throw new Error('TooManyTries')
  const user = await gate
    .pass(() => verifyPassword(composition().services, email, password))
    .catch((error: unknown) => {
      throw error instanceof GateFull ? new Error('Busy') : error
    })
  if (user) throttle.succeeded(key)
  else throttle.failed(key, Date.now())
  return user
}

/**
 * E-mail with password; the session is an encrypted token in a cookie that is HttpOnly, SameSite=Lax, and Secure over
 * https. It only says who somebody is: what they may do is read from the database on every request.
 */
export function authOptions(): NextAuthOptions {
  setAuthUrl()
  return {
    secret: authSecret(),
    session: { strategy: 'jwt', maxAge: THIRTY_DAYS },
    pages: { signIn: '/sign-in', error: '/sign-in' },
    providers: [
      CredentialsProvider({
        name: 'E-mail and password',
        credentials: { email: { type: 'email' }, password: { type: 'password' } },
        authorize: credentials => signInWithPassword(credentials?.email ?? '', credentials?.password ?? ''),
      }),
    ],
    callbacks: {
      session: ({ session, token }) => ({ ...session, userId: token.sub ?? null }),
    },
    logger: {
      error: (code, metadata) =>
        log().error({ code, err: metadata instanceof Error ? metadata : undefined }, 'sign-in'),
      warn: code => log().warn({ code }, 'sign-in'),
      debug: () => undefined,
    },
  }
}

/** Who is signed in, as the sign-in said it. */
export interface SignedIn {
  userId: string
  email: string
  name: string | null
}

/** Read once per request. */
export const signedIn = cache(async (): Promise<SignedIn | null> => {
  const session = await getServerSession(authOptions())
  if (!session || !('userId' in session) || typeof session.userId !== 'string') return null
  return { userId: session.userId, email: session.user?.email ?? '', name: session.user?.name ?? null }
})

export async function signedInUserId(): Promise<string | null> {
  return (await signedIn())?.userId ?? null
}
