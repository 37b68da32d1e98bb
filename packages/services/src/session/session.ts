import { notFound } from '@workly/core'
import { readClock, type Services } from '../context.ts'

/** What a signed-in person's browser proves: who they are, and since when. */
export interface Session {
  userId: string
  /**
   * The person's session epoch when the session began. A changed password, an address proven for the first time and
   * {@link endSessions} begin another, and every session of an earlier one is over.
   */
  epoch: number
}

/** Whom a live session belongs to, as they are called now. */
export interface Person {
  userId: string
  email: string
  name: string | null
}

/** @returns null for a session that is over, and for one of a person who is gone */
export async function readSession(services: Services, { userId, epoch }: Session): Promise<Person | null> {
  const [row] = await services.sql<{ email: string; name: string | null }[]>`
    select email, name from users where id = ${userId} and session_epoch = ${epoch}`
  return row ? { userId, ...row } : null
}

/**
 * Ends every session of a person at once, wherever they are signed in.
 * @throws WorklyError `not_found`
 */
export async function endSessions(services: Services, userId: string): Promise<void> {
  const at = await readClock(services, services.sql)
  const { count } = await services.sql`
    update users set session_epoch = session_epoch + 1, updated_at = ${at} where id = ${userId}`
  if (count === 0) throw notFound('such user')
}
