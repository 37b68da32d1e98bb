import { z } from 'zod'
import { wholeNumber, wireText } from './wire-text.ts'

/** Wire shapes of an HTTP request, of a job or of a pipeline's step (spec section 3). */

export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/** What a read shows in place of a secret, and what a write may send to keep the stored one. */
export const SECRET_MASK = '••••'

const headerValue = z.union(
  [wireText(16_384), z.strictObject({ secret: wireText(16_384) })],
  'a string, or {"secret": "value"}',
)

export const responseMode = z.union(
  [
    z.literal('sync'),
    z.strictObject({ callback: z.strictObject({ max_wait_seconds: wholeNumber(1, 604_800) }) }),
  ],
  '"sync", or {"callback": {"max_wait_seconds": 1 to 604800}}',
)

/** What is sent, in a write. */
export const httpShape = {
  url: wireText(2_048).nullish(),
  method: z.enum(METHODS, `one of ${METHODS.join(', ')}`).nullish(),
  headers: z.record(z.string(), headerValue).nullish(),
  payload: z.unknown().optional(),
  body: z.string().nullish(),
  content_type: wireText(255).nullish(),
  response: responseMode.nullish(),
  timeout_seconds: wholeNumber(1, 1_800).nullish(),
}

/** The fields of {@link httpShape}, in the order of the documents. */
export const HTTP_FIELDS = Object.keys(httpShape) as (keyof typeof httpShape)[]

/** Headers as reads show them. */
export const shownHeaders = z.record(
  z.string(),
  z.union([z.string(), z.object({ secret: z.literal(SECRET_MASK) })]),
)

/** What is sent, as reads of settings show it: defaults filled in, secrets masked. */
export const httpRead = z.object({
  url: z.string(),
  method: z.enum(METHODS),
  headers: shownHeaders,
  payload: z.unknown().optional(),
  body: z.string().optional(),
  content_type: z.string().optional(),
  response: responseMode,
  timeout_seconds: z.int(),
})
