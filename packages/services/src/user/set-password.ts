import { notFound, readWire } from '@workly/core'
import { z } from 'zod'
import { readClock, type Services } from '../context.ts'
import { hashPassword, newPassword } from './password-hash.ts'

const passwordSet = z.strictObject({ password: newPassword })

/**
 * Sets a password without asking for the present one: for an operator at the machine, and for a person who has just
 * proven the address by an e-mail link. It ends every session of theirs.
 * @throws WorklyError `invalid_request`; `not_found`
 */
export async function setPassword(services: Services, userId: string, password: string): Promise<void> {
  const hash = await hashPassword(readWire(passwordSet, { password }).password)
  const at = await readClock(services, services.sql)
  const { count } = await services.sql`
    update users set password_hash = ${hash}, session_epoch = session_epoch + 1, updated_at = ${at}
    where id = ${userId}`
  if (count === 0) throw notFound('such user')
}
