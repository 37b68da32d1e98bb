import { z } from 'zod'
import { wireText } from './wire-text.ts'

/** What a target reports when its work is done (spec section 5): `result` is free text. */
export const callbackBody = z.strictObject({
  result: wireText(1_000).min(1, 'may not be empty'),
  description: wireText(10_000).nullish(),
})
export type CallbackBody = z.infer<typeof callbackBody>
