import { ReadableStream } from 'node:stream/web'

/**
 * The entries of a list as the bytes of one JSON array, read part by part as they are taken. An error breaks the answer
 * off, so that its JSON is not complete and no client takes it for the whole.
 * @param failed hears of such an error
 */
export function jsonStream(
  parts: AsyncIterable<unknown[]>,
  failed: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  return ReadableStream.from(pieces(parts, failed))
}

async function* pieces(parts: AsyncIterable<unknown[]>, failed: (error: unknown) => void) {
  const encoder = new TextEncoder()
  let opening = '['
  try {
    for await (const part of parts) {
      if (part.length === 0) continue
      yield encoder.encode(opening + part.map(entry => JSON.stringify(entry)).join(','))
      opening = ','
    }
  } catch (error) {
    failed(error)
    throw error
  }
  yield encoder.encode(opening === '[' ? '[]' : ']')
}
