import { type FieldIssue, HTTP_FIELDS, type JobPut } from '@workly/core'
import type { Services } from '../context.ts'
import type { LimitDefaults } from '../limits.ts'
import { isGiven } from './is-given.ts'
import { type DraftImage, readImage } from './read-image.ts'
import { type DraftHttpRequest, type RequestFields, readRequest } from './read-request.ts'

/** A request or an image as it was sent, secrets not yet stored. */
export type DraftTarget = DraftHttpRequest | DraftImage

/**
 * Checks what a job or a step does, a request or an image (spec section 3), and fills in its defaults, adding what is
 * wrong with it to `issues`. An image has no field of a request beside it.
 */
export function readTarget(
  input: RequestFields & Pick<JobPut, 'image'>,
  defaults: { timeout_seconds?: number | null | undefined },
  services: Services,
  limits: LimitDefaults,
  issues: FieldIssue[],
): DraftTarget {
  if (!input.image) return readRequest(input, defaults, services, limits, issues)
  for (const field of HTTP_FIELDS)
    if (isGiven(input, field)) issues.push({ field, message: BESIDE[field] ?? NOT_OF_IMAGES })
  return readImage(input.image, issues)
}

const NOT_OF_IMAGES = 'It belongs to an HTTP request; a container image has none.'
const BESIDE: Partial<Record<(typeof HTTP_FIELDS)[number], string>> = {
  url: 'Give url or image, not both.',
  timeout_seconds: 'An image has a deadline of its own: give it as image.timeout_seconds.',
  response: 'An image reports as image.max_wait_seconds says; it has no response.',
}
