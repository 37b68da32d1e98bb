import { SECRET_MASK } from '@workly/core'
import { longestForm, maskBytes } from '../attempt/mask-secrets.ts'
import { secretForms } from '../attempt/secret-forms.ts'

/** How much of a container's log is kept, in bytes (spec section 5, "Attempt"). */
export const KEPT_LOG_BYTES = 64 * 1024
/** Bytes of a character that was cut at the front, which executors leave out. */
const LEFT_OUT_AT_MOST = 3

/** How many bytes of a log's end to ask for, so that secrets in it can be masked before it is cut. */
export function logBytesToAskFor(secrets: readonly string[]): number {
  return KEPT_LOG_BYTES + longestForm(secrets) + 1 + LEFT_OUT_AT_MOST
}

/** The end of a log in the form that is stored. */
export interface StoredLog {
  log: string | null
  truncated: boolean
}

/**
 * Masks secrets in the end of a log, and cuts it (spec section 8): of a log whose beginning is not there, what could be
 * the end of a value is masked too.
 * @param log as much as {@link logBytesToAskFor} says, or all there is. What is no text became U+FFFD in it, so that how
 *   long it is does not say whether it is all
 * @param isCut whether more was written before it
 */
export function storedLog(log: string | null, isCut: boolean, secrets: readonly string[]): StoredLog {
  if (log === null) return { log: null, truncated: false }
  const bytes = Buffer.from(log, 'utf8')
  const masked = Buffer.from(maskBytes(isCut ? maskEnded(bytes, secrets) : bytes, secrets, false))
  if (masked.length <= KEPT_LOG_BYTES) return { log: masked.toString('utf8'), truncated: isCut }
  let start = masked.length - KEPT_LOG_BYTES
  // Bytes 10xxxxxx continue a character (RFC 3629).
  while (start < masked.length && ((masked[start] ?? 0) & 0xc0) === 0x80) start++
  return { log: masked.toString('utf8', start), truncated: true }
}

/** Masks the longest beginning that is the end of a value. */
function maskEnded(bytes: Buffer, secrets: readonly string[]): Buffer {
  let longest = 0
  for (const form of secretForms(secrets)) {
    for (let length = Math.min(form.length - 1, bytes.length); length > longest; length--) {
      if (bytes.compare(form, form.length - length, form.length, 0, length) === 0) longest = length
    }
  }
  return longest === 0 ? bytes : Buffer.concat([Buffer.from(SECRET_MASK), bytes.subarray(longest)])
}
