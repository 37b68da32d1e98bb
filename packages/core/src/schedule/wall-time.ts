import type { ZoneOffsets } from './zone-offsets.ts'

/** More than any offset, and any change of one, since 1970. */
const LONGEST_SHIFT_MS = 26 * 3_600_000

/**
 * The latest wall time that a zone's clocks have shown by an instant, that instant included. After clocks went back
 * it stays at what they had reached until they pass it again.
 */
export function latestWallTime(zone: ZoneOffsets, ms: number): number {
  let span = zone.spanAt(ms)
  let latest = ms + span.offsetMs
  while (span.startMs > ms - LONGEST_SHIFT_MS) {
    span = zone.spanAt(span.startMs - 1)
    latest = Math.max(latest, span.endMs - 1 + span.offsetMs)
  }
  return latest
}

/**
 * The first instant at which a zone's clocks show a wall time or a later one. That is the one rule of spec section 2:
 * a time in a gap falls on the first instant after it, a time in an overlap on its first occurrence.
 */
export function firstInstant(zone: ZoneOffsets, wallMs: number): number {
  let span = zone.spanAt(wallMs - LONGEST_SHIFT_MS)
  for (;;) {
    const ms = Math.max(span.startMs, wallMs - span.offsetMs)
    if (ms < span.endMs) return ms
    span = zone.spanAt(span.endMs)
  }
}
