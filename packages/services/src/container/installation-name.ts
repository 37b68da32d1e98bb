import { randomBytes } from 'node:crypto'
import type { Services } from '../context.ts'

/**
 * What this installation is called where it shares a cluster or engine with others, whose containers it must not take for
 * leaked: made once and kept in the database, so that all workers have the same.
 */
export async function installationName(services: Services): Promise<string> {
  const { sql } = services
  const name = `workly-${randomBytes(6).toString('hex')}`
  await sql`insert into installations (name) values (${name}) on conflict (id) do nothing`
  const [row] = await sql<{ name: string }[]>`select name from installations`
  if (!row) throw new Error('the installation has no name')
  return row.name
}
