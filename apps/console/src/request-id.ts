import { freshId } from '@workly/services'

/** An id to find a request by in the log. */
export function newRequestId(): string {
  return freshId('request', new Date())
}
