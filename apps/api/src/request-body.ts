import { invalid, WorklyError } from '@workly/core'

/**
 * The bytes of a request's body; empty when it has none. What is larger than `limit` is refused at the first byte too
 * many, or before any when `Content-Length` says so.
 * @param limit bytes
 * @throws WorklyError `payload_too_large`, `invalid_request`
 */
export async function readBody(request: Request, limit: number): Promise<Uint8Array> {
  const encoding = request.headers.get('content-encoding')
  if (encoding !== null && encoding.toLowerCase() !== 'identity') {
    throw invalid([{ field: '', message: 'The body is compressed. Send it without Content-Encoding.' }])
  }
  const declared = request.headers.get('content-length')
  if (declared !== null && Number(declared) > limit) throw tooLarge(limit)
  try {
    // Node's parser reads exactly as many bytes as declared, so there is nothing left to count.
    if (declared !== null) return checked(new Uint8Array(await request.arrayBuffer()), limit)
    return request.body ? await readCounted(request.body, limit) : new Uint8Array()
  } catch (error) {
    if (error instanceof WorklyError) throw error
    throw invalid([{ field: '', message: 'The body ended before it was complete.' }])
  }
}

async function readCounted(body: ReadableStream<Uint8Array>, limit: number): Promise<Uint8Array> {
  const reader = body.getReader()
  const chunks: Uint8Array[] = []
  let length = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return Buffer.concat(chunks)
    length += value.byteLength
    if (length > limit) {
      void letGo(reader, limit)
      throw tooLarge(limit)
    }
    chunks.push(value)
  }
}

/**
 * Reads on for a while and drops it: to close the connection at once would reset it, and the client, still sending,
 * would not get to read why it was refused.
 */
async function letGo(reader: ReadableStreamDefaultReader<Uint8Array>, limit: number): Promise<void> {
  try {
    for (let dropped = 0; dropped < 8 * limit; ) {
      const { done, value } = await reader.read()
      if (done) return
      dropped += value.byteLength
    }
    await reader.cancel()
  } catch {
    // The client has gone.
  }
}

function checked(bytes: Uint8Array, limit: number): Uint8Array {
  if (bytes.byteLength > limit) throw tooLarge(limit)
  return bytes
}

function tooLarge(limit: number): WorklyError {
  return new WorklyError('payload_too_large', `The request is larger than the limit of ${limit} bytes.`)
}
