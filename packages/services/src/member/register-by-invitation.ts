import { invalid, readWire, WorklyError } from '@workly/core'
import { z } from 'zod'
import { readClock, type Services } from '../context.ts'
import { displayName } from '../display-name.ts'
import type { Organization } from '../organization/shown-organization.ts'
import { insertUser } from '../user/create-user.ts'
import { hashPassword, newPassword } from '../user/password-hash.ts'
import { REFUSED, takeUpInvitation } from './accept-invitation.ts'
import { getInvitation } from './get-invitation.ts'

export const registration = z.strictObject({ name: displayName, password: newPassword })

/**
 * Who has an invitation's link and no account makes one with the address it was sent to, and is in the organization: both
 * or nothing. The address is not proven by it, as whoever invites sees the link too; so a later proof of it drops the
 * password (see `confirmEmail`).
 * @throws WorklyError `invalid_request`; `not_found`; `conflict` when the invitation is over, and when its address has an
 *   account
 */
export async function registerByInvitation(
  services: Services,
  token: string,
  input: z.input<typeof registration>,
  requestId: string | null,
): Promise<{ email: string; organization: Organization }> {
  const { name, password } = readWire(registration, input)
  // Before the hash is paid for: strangers have no work done here.
  const { email, state } = await getInvitation(services, token)
  if (state !== 'open') throw new WorklyError('conflict', REFUSED[state])
  if (password.toLowerCase() === email) {
    throw invalid([{ field: 'password', message: 'may not be the e-mail address.' }])
  }
  const passwordHash = await hashPassword(password)
  return services.sql.begin(async sql => {
    const user = await insertUser(sql, await readClock(services, sql), { email, name, passwordHash })
    if (!user) {
      throw new WorklyError('conflict', 'There is an account with this e-mail address. Sign in instead.')
    }
    const organization = await takeUpInvitation(sql, services, { id: user.id, email, name }, token, requestId)
    return { email, organization }
  })
}
