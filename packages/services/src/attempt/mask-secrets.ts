import { SECRET_MASK } from '@workly/core'

const MASK = Buffer.from(SECRET_MASK)
/** Values shorter than this would mask half of every answer, and are no secrets. */
const SHORTEST = 4

/**
 * Replaces secret values in bytes that are kept of an answer (spec section 8). Of a body that was cut, an end that a
 * secret could have begun is masked too.
 */
export function maskBytes(bytes: Uint8Array, secrets: readonly string[], cut: boolean): Uint8Array {
  let buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (const secret of secrets) {
    if (secret.length < SHORTEST) continue
    const needle = Buffer.from(secret, 'utf8')
    buffer = replaceAll(buffer, needle)
    if (cut) buffer = maskBegun(buffer, needle)
  }
  return buffer
}

function replaceAll(buffer: Buffer, needle: Buffer): Buffer {
  let at = buffer.indexOf(needle)
  if (at < 0) return buffer
  const parts: Buffer[] = []
  let from = 0
  while (at >= 0) {
    parts.push(buffer.subarray(from, at), MASK)
    from = at + needle.length
    at = buffer.indexOf(needle, from)
  }
  parts.push(buffer.subarray(from))
  return Buffer.concat(parts)
}

function maskBegun(buffer: Buffer, needle: Buffer): Buffer {
  for (let length = Math.min(needle.length - 1, buffer.length); length > 0; length--) {
    const end = buffer.length - length
    if (buffer.subarray(end).equals(needle.subarray(0, length)))
      return Buffer.concat([buffer.subarray(0, end), MASK])
  }
  return buffer
}

/** As {@link maskBytes}, for a message or a header's value. */
export function maskText(text: string, secrets: readonly string[]): string {
  return secrets.reduce(
    (masked, s) => (s.length < SHORTEST ? masked : masked.replaceAll(s, SECRET_MASK)),
    text,
  )
}
