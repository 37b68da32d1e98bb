import type { TransactionSql } from '@workly/db'

/** How the audit log names a person: their name, else their address. */
export async function readPerson(sql: TransactionSql, userId: string): Promise<string> {
  const [row] = await sql<
    { name: string }[]
  >`select coalesce(name, email) as name from users where id = ${userId}`
  return row?.name ?? userId
}
