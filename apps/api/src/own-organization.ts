import { checkOrganization } from '@workly/services'
import type { ApiContext } from './api-env.ts'

/**
 * The organization that an address names must be the key's (spec section 9).
 * @throws WorklyError `not_found`
 */
export async function ownOrganization(c: ApiContext, next: () => Promise<void>): Promise<void> {
  await checkOrganization(c.get('ctx'), c.req.param('organizationId') ?? '')
  await next()
}
