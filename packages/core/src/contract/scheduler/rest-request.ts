import { z } from 'zod'
import { httpRead, httpShape, METHODS } from '../http-request.ts'
import { wholeNumber, wireText } from '../wire-text.ts'
import { requiredObject, withOneOf } from './one-of.ts'

/** What a REST request sends. A `body` that is a string is sent as it is, anything else as JSON (spec section 9). */
export const restRequest = requiredObject(
  {
    method: httpShape.method,
    url: wireText(2_048, 'is required: the address to call'),
    headers: httpShape.headers,
    body: z.unknown().optional(),
  },
  'an object with the url to call',
).meta({ id: 'SchedulerRestRequest', description: 'The call to make.' })
export type RestRequest = z.infer<typeof restRequest>

/** How it is known that a REST request is done: by its response, or by a callback. */
export const restResponse = withOneOf(
  z.strictObject(
    {
      sync: z.strictObject({ timeout: wholeNumber(1, 1_800).nullish() }, '{"timeout": 1 to 1800}').nullish(),
      async: z
        .strictObject(
          { maxTimeToWaitCallback: wholeNumber(1, 604_800) },
          '{"maxTimeToWaitCallback": 1 to 604800}',
        )
        .nullish(),
    },
    '{"sync": {"timeout"}}, or {"async": {"maxTimeToWaitCallback"}}',
  ),
  ['sync', 'async'],
).meta({
  id: 'SchedulerResponse',
  description: 'How it is known that the request is done: `sync` or `async`.',
})
export type RestResponse = z.infer<typeof restResponse>

/** Seconds within which the response to an asynchronous call itself must come (spec section 9). */
export const ASYNC_TIMEOUT_SECONDS = 30

/** As lists show it: defaults filled in, secrets masked. */
export const restRequestRead = z
  .object({
    method: z.enum(METHODS),
    url: z.string(),
    headers: httpRead.shape.headers,
    body: z.unknown().optional(),
  })
  .meta({ id: 'SchedulerRestRequestRead', description: 'The call to make, as lists show it.' })
export const restResponseRead = z.union([
  z.object({ sync: z.object({ timeout: z.int() }) }),
  z.object({ async: z.object({ maxTimeToWaitCallback: z.int() }) }),
])
