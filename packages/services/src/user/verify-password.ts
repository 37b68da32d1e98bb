import type { Services } from '../context.ts'
import type { User } from './create-user.ts'
import { emailAddress } from './email-address.ts'
import { matchesPassword, newPassword } from './password-hash.ts'

/** Who has just proven who they are. */
export interface SignedInUser extends User {
  /** What the new session is to name, see `readSession`. */
  sessionEpoch: number
}

/**
 * Signs in with e-mail and password. An unknown address, an account without a password and a wrong password cost the
 * same work, so that nobody finds out which addresses have accounts.
 * @returns null when they do not fit, whatever the reason
 */
export async function verifyPassword(
  services: Services,
  email: string,
  password: string,
): Promise<SignedInUser | null> {
  const address = emailAddress.safeParse(email)
  const [found] = await services.sql<(User & { password_hash: string | null; session_epoch: number })[]>`
    select id, email, name, image, password_hash, session_epoch from users where email = ${address.data ?? ''}`
  // What could never have been set is not hashed at its full length, yet costs a hash like any other.
  const possible = newPassword.safeParse(password)
  const matches = await matchesPassword(
    possible.data ?? '',
    (possible.success && found?.password_hash) || null,
  )
  if (!found || !matches) return null
  const { id, name, image, session_epoch: sessionEpoch } = found
  return { id, email: found.email, name, image, sessionEpoch }
}
