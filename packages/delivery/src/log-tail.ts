/** How much of a container's log is kept, in bytes (spec section 5, "Attempt"). */
export const LOG_BYTES = 65_536

/** The end of a container's log. */
export interface ContainerLog {
  text: string
  /** What came before it is not there. */
  isCut: boolean
}

/** Keeps the last bytes of a stream that may be far longer. */
export class LogTail {
  readonly #limit: number
  #chunks: Uint8Array[] = []
  #held = 0
  #cut = false

  constructor(limit: number) {
    this.#limit = limit
  }

  push(chunk: Uint8Array): void {
    this.#chunks.push(chunk)
    this.#held += chunk.length
    // Cutting at twice the limit keeps the copying in proportion to what is read.
    if (this.#held > this.#limit * 2) this.#shorten()
  }

  #shorten(): void {
    const all = Buffer.concat(this.#chunks)
    this.#cut ||= all.length > this.#limit
    const tail = all.subarray(Math.max(0, all.length - this.#limit))
    this.#chunks = [tail]
    this.#held = tail.length
  }

  /**
   * As text: a character cut in two at the front is left out; what is no text, and a NUL (which databases refuse), is
   * shown as U+FFFD, so that the text may be longer than the bytes.
   */
  log(): ContainerLog {
    this.#shorten()
    const [bytes = new Uint8Array()] = this.#chunks
    let start = 0
    // Bytes 10xxxxxx continue a character of UTF-8 (RFC 3629); at most three of them can be left over.
    while (this.#cut && start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++
    const text = Buffer.from(bytes).toString('utf8', start).replaceAll('\0', '\uFFFD')
    return { text, isCut: this.#cut }
  }
}
