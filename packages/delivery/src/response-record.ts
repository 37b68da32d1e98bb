import type { Dispatcher } from 'undici'

/** Most of a response's body that is read; then the connection is closed and the status decides (spec section 5). */
export const MOST_BODY_READ = 1024 * 1024
/** Most of it that is kept. */
export const BODY_KEPT = 64 * 1024

const NOTHING = new Uint8Array(0)

/** What has come of a response so far. */
export class ResponseRecord {
  status: number | null = null
  headers: Record<string, string> | null = null
  readonly #keep: number
  #chunks: Uint8Array[] = []
  #kept = 0
  #read = 0

  /** @param keep how many bytes of the body to keep */
  constructor(keep: number) {
    this.#keep = keep
  }

  start(
    status: number,
    headers: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2],
  ): void {
    this.status = status
    const joined: Record<string, string> = {}
    // defineProperty, because a target may well send a header called __proto__.
    for (const [name, value] of Object.entries(headers)) {
      if (value === undefined) continue
      const text = typeof value === 'string' ? value : value.join(', ')
      if (name === '__proto__') Object.defineProperty(joined, name, { value: text, enumerable: true })
      else joined[name] = text
    }
    this.headers = joined
  }

  /** @returns whether more may be read */
  add(chunk: Uint8Array): boolean {
    this.#read += chunk.length
    const room = this.#keep - this.#kept
    if (room > 0) {
      // A copy: the chunk is a window on the socket's buffer, which would be kept whole.
      const part = Uint8Array.prototype.slice.call(chunk, 0, room)
      this.#chunks.push(part)
      this.#kept += part.length
    }
    return this.#read <= MOST_BODY_READ
  }

  get truncated(): boolean {
    return this.#read > this.#kept
  }

  get body(): Uint8Array {
    const [only = NOTHING, ...more] = this.#chunks
    if (more.length === 0) return only
    const body = new Uint8Array(this.#kept)
    let offset = 0
    for (const chunk of this.#chunks) {
      body.set(chunk, offset)
      offset += chunk.length
    }
    return body
  }
}
