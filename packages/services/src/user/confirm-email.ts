import { notFound } from '@workly/core'
import { readClock, type Services } from '../context.ts'

/**
 * Notes that a person has proven their address, by an e-mail link or a provider. The first time, a password that was
 * set before is dropped and every session ended: whoever set it had not proven the address, and may have taken it in
 * advance.
 * @throws WorklyError `not_found`
 */
export async function confirmEmail(services: Services, userId: string): Promise<void> {
  const at = await readClock(services, services.sql)
  const { count } = await services.sql`
    update users set
      password_hash = case when email_verified is null then null else password_hash end,
      session_epoch = session_epoch + case when email_verified is null then 1 else 0 end,
      email_verified = coalesce(email_verified, ${at}), updated_at = ${at}
    where id = ${userId}`
  if (count === 0) throw notFound('such user')
}
