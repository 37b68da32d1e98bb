import { z } from 'zod'
import { INSTANT_FORM, parseInstant } from '../schedule/instant.ts'

/**
 * A string that Postgres and every client can hold: no NUL, no half of a surrogate pair, at most `max` characters.
 *
 * @param missing what to say where it has to be given and is not
 */
export function wireText(max: number, missing = 'a string') {
  return z
    .string({ error: ({ input }) => (input === undefined ? missing : 'a string') })
    .max(max, `at most ${max} characters`)
    .refine(s => !s.includes('\u0000') && s.isWellFormed(), 'may not hold NUL or half of a surrogate pair')
}

/** A whole number of a range; out of it is refused with the range, never clamped (spec section 4). */
export function wholeNumber(min: number, max: number) {
  const message = `a whole number from ${min} to ${max}`
  return z.int(message).min(min, message).max(max, message)
}

/** An RFC 3339 instant, as text: refused together with whatever else is wrong (spec section 8). */
export const instantText = z
  .string({ error: ({ input }) => (input === undefined ? 'is required' : 'a string') })
  .refine(text => parseInstant(text) !== null, INSTANT_FORM)
