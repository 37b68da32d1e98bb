import { z } from 'zod'

/** Words that stand, or may come to stand, where a slug stands in an address. */
const RESERVED = new Set(
  `account accounts admin api app assets audit auth billing callbacks console dashboard docs favicon health healthz help
  home invitations keys login logout mcp members metrics new null openapi operator organizations profile projects public
  readyz register robots root runs scheduler schedules search security session settings setup sign-in sign-out sign-up
  signin signout signup static status support system trpc undefined users v1 v2 webhooks well-known workly www`.split(
    /\s+/,
  ),
)

const FORM = '2 to 40 lower-case letters, digits and single hyphens between them'

/** An organization's or project's name in addresses. An id can never be one, since it has an underscore. */
export const slug = z
  .string(FORM)
  .regex(/^(?=.{2,40}$)[a-z0-9](-?[a-z0-9])*$/, FORM)
  .refine(text => !RESERVED.has(text), 'is a word that Workly keeps for its own addresses; choose another')
