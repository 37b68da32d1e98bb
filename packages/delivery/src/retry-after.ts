/** The three forms of an HTTP date (RFC 9110 section 5.6.7), all of which begin with the day's name. */
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /

/**
 * `Retry-After` (RFC 9110 section 10.2.3) as milliseconds to wait; null if it is absent or neither seconds nor a date. A
 * date in the past is 0.
 * @param nowMs milliseconds since the epoch, against which a date is measured
 */
export function retryAfterMs(value: string | undefined, nowMs: number): number | null {
  const text = value?.trim() ?? ''
  if (/^\d{1,12}$/.test(text)) return Number(text) * 1000
  if (!HTTP_DATE.test(text)) return null
  // The asctime form has no zone; an HTTP date is always in GMT.
  const at = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`)
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs)
}
