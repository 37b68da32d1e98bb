import { invalid, notFound, readWire, WorklyError, wireText } from '@workly/core'
import { z } from 'zod'
import { readClock, type Services } from '../context.ts'
import { hashPassword, matchesPassword, newPassword } from './password-hash.ts'

export const passwordChange = z.strictObject({
  /** Null for an account that has none yet. */
  current_password: wireText(256).nullish(),
  new_password: newPassword,
})

/**
 * A person changes their own password, proving the present one; an account that has none gets its first. It ends every
 * session of theirs, the one it is done in too: whoever has stolen one is out.
 * @throws WorklyError `invalid_request` naming `current_password` when it is wrong; `conflict` when it was changed
 *   meanwhile
 */
export async function changePassword(
  services: Services,
  userId: string,
  input: z.input<typeof passwordChange>,
): Promise<void> {
  const change = readWire(passwordChange, input)
  const [user] = await services.sql<{ password_hash: string | null }[]>`
    select password_hash from users where id = ${userId}`
  if (!user) throw notFound('such user')
  if (
    user.password_hash !== null &&
    !(await matchesPassword(change.current_password ?? '', user.password_hash))
  ) {
    throw invalid([{ field: 'current_password', message: 'is not the present password.' }])
  }
  const hash = await hashPassword(change.new_password)
  const at = await readClock(services, services.sql)
  const { count } = await services.sql`
    update users set password_hash = ${hash}, session_epoch = session_epoch + 1, updated_at = ${at}
    where id = ${userId} and password_hash is not distinct from ${user.password_hash}`
  if (count === 0) throw new WorklyError('conflict', 'The password was changed meanwhile.')
}
