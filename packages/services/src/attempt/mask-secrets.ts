import { SECRET_MASK } from '@workly/core'
import { secretForms } from './secret-forms.ts'

const MASK = Buffer.from(SECRET_MASK)

/**
 * Replaces secret values, and the forms of them that encoders make, in bytes that are kept of an answer. Values of any
 * length are masked; of one that is but a character or two little of the answer is left to read.
 * @param cut whether the bytes were cut off: an end that a value could have begun in is masked too
 */
export function maskBytes(bytes: Uint8Array, secrets: readonly string[], cut: boolean): Uint8Array {
  return mask(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), secretForms(secrets), cut)
}

/** As {@link maskBytes}, for a message, a header's value, or what a callback says. */
export function maskText(text: string, secrets: readonly string[]): string {
  const needles = secretForms(secrets)
  if (needles.length === 0) return text
  return mask(Buffer.from(text, 'utf8'), needles, false).toString('utf8')
}

/** The bytes of the longest form that any of the values can take. */
export function longestForm(secrets: readonly string[]): number {
  return secretForms(secrets)[0]?.length ?? 0
}

/**
 * One pass from the left: at each place the longest form counts, so that no part of a longer value is left over from a
 * shorter one within it. Values without a gap between them get one mask.
 * @param cut whether an end that a value could have begun in is masked too
 */
function mask(buffer: Buffer, needles: Buffer[], cut: boolean): Buffer {
  const parts: Buffer[] = []
  const places = needles.map(needle => buffer.indexOf(needle))
  let from = 0
  let begunAt = cut ? begunFrom(buffer, needles, 0) : buffer.length
  for (;;) {
    const found = nextPlace(places)
    if (found === null || found.at >= begunAt) break
    const length = needles[found.needle]?.length ?? 0
    if (found.at > from) parts.push(buffer.subarray(from, found.at))
    if (parts.at(-1) !== MASK) parts.push(MASK)
    from = found.at + length
    for (const [i, needle] of needles.entries()) {
      const place = places[i] ?? -1
      if (place >= 0 && place < from) places[i] = buffer.indexOf(needle, from)
    }
    if (begunAt < from) begunAt = begunFrom(buffer, needles, from)
  }
  parts.push(buffer.subarray(from, begunAt))
  if (begunAt < buffer.length) parts.push(MASK)
  return Buffer.concat(parts)
}

/** The first place where a needle stands; of several there the longest, which comes first in the list. */
function nextPlace(places: number[]): { at: number; needle: number } | null {
  let best: { at: number; needle: number } | null = null
  for (const [needle, at] of places.entries()) {
    if (at >= 0 && (best === null || at < best.at)) best = { at, needle }
  }
  return best
}

/** From where on, not before `from`, the end of a buffer is the beginning of a needle; its length where it is of none. */
function begunFrom(buffer: Buffer, needles: Buffer[], from: number): number {
  let begun = buffer.length
  for (const needle of needles) {
    const first = Math.max(from, buffer.length - needle.length + 1)
    for (let at = first; at < begun; at++) {
      if (buffer[at] !== needle[0]) continue
      if (buffer.compare(needle, 0, buffer.length - at, at) === 0) {
        begun = at
        break
      }
    }
  }
  return begun
}
