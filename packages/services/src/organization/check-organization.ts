import { notFound } from '@workly/core'
import type { Context } from '../context.ts'
import { withoutNul } from '../storable-text.ts'

/**
 * Checks that the organization an address names, by its slug or its id, is the actor's.
 * @throws WorklyError `not_found`: it is another, or none
 */
export async function checkOrganization(ctx: Context, slugOrId: string): Promise<void> {
  if (slugOrId === ctx.organizationId) return
  const { sql } = ctx.services
  const [row] = await sql`
    select 1 from organizations
    where id = ${ctx.organizationId} and slug = ${withoutNul(slugOrId)} and deleted_at is null`
  if (!row) throw notFound('such organization')
}
