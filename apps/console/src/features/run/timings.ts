import type { Attempt } from '@workly/core'

/** One part of a call, as the waterfall draws it: milliseconds from the call's start. */
export interface Phase {
  name: string
  start: number
  end: number
}

/**
 * The parts of a call one after the other. DNS, connect and TLS are lengths; the first byte and the total count from
 * the start of the call. What lies between the last of the former and the first byte is the target's own time. A call
 * that never came to a first byte waited until its end; of one that knows no part, as a container's, only the total shows.
 */
export function phases(timings: Attempt['timings']): Phase[] {
  const { dns_ms, connect_ms, tls_ms, first_byte_ms, total_ms } = timings
  const result: Phase[] = []
  let at = 0
  for (const [name, length] of [
    ['DNS', dns_ms],
    ['Connect', connect_ms],
    ['TLS', tls_ms],
  ] as const) {
    if (length === null) continue
    result.push({ name, start: at, end: at + length })
    at += length
  }
  const waitedUntil = first_byte_ms ?? total_ms
  if (waitedUntil !== null && waitedUntil > at) {
    const name = result.length === 0 && first_byte_ms === null ? 'Total' : 'Waiting'
    result.push({ name, start: at, end: waitedUntil })
  }
  if (first_byte_ms !== null && total_ms !== null && total_ms >= first_byte_ms) {
    result.push({ name: 'Download', start: first_byte_ms, end: total_ms })
  }
  return result
}
