import { readWire, WorklyError, wireText } from '@workly/core'
import type { TransactionSql } from '@workly/db'
import { z } from 'zod'
import { freshId, readClock, type Services } from '../context.ts'
import { displayName } from '../display-name.ts'
import { emailAddress } from './email-address.ts'
import { hashPassword, newPassword } from './password-hash.ts'

/** A person, as sign-in knows them. */
export interface User {
  id: string
  email: string
  name: string | null
  image: string | null
}

/** `password` only for those who sign in with one; `email_verified` for whom a provider or an e-mail link has proven. */
export const userCreate = z.strictObject({
  email: emailAddress,
  name: displayName.nullish(),
  image: wireText(2_048).nullish(),
  password: newPassword.nullish(),
  email_verified: z.boolean('true or false').nullish(),
})

/**
 * Makes a person's account. A person belongs to no organization yet, so it is in no audit log.
 * @throws WorklyError `invalid_request`; `conflict` when the address has an account
 */
export async function createUser(services: Services, input: z.input<typeof userCreate>): Promise<User> {
  const { password, ...user } = readWire(userCreate, input)
  const passwordHash = password ? await hashPassword(password) : null
  return services.sql.begin(async sql => {
    const at = await readClock(services, sql)
    const created = await insertUser(sql, at, { ...user, passwordHash })
    if (!created)
      throw new WorklyError('conflict', 'There is an account with this e-mail address. Sign in instead.')
    return created
  })
}

/** Answers undefined where the address has an account. */
export async function insertUser(
  sql: TransactionSql,
  at: Date,
  user: Omit<z.output<typeof userCreate>, 'password'> & { passwordHash: string | null },
): Promise<User | undefined> {
  const [row] = await sql<User[]>`
    insert into users ${sql({
      id: freshId('user', at),
      email: user.email,
      name: user.name ?? null,
      image: user.image ?? null,
      email_verified: user.email_verified ? at : null,
      password_hash: user.passwordHash,
      created_at: at,
      updated_at: at,
    })}
    on conflict (email) do nothing returning id, email, name, image`
  return row
}
