import { Socket } from 'node:net'

type Done = (error?: Error | null) => void

/**
 * What was sent together may have been answered in part. A connection that may rest as well as wait is given so many
 * times as long; it is opened anew when it is wanted.
 */
const IN_DOUBT = 4
/** Every one that is open. */
const open = new Set<AnsweredSocket>()

/** How often silence is looked for. */
const LOOK_EVERY_MS = 1_000

/**
 * A socket to PostgreSQL that is given up when nothing comes back for a while after something was sent. A connection
 * that is half open (a firewall, a pooler or a machine between has forgotten it) tells neither end: what waits on it
 * would wait for a quarter of an hour, until TCP gives up, or for ever. Once it is given up its pool opens another.
 * With it go all others that have been silent for as long, resting or not, since what befell one has likely befallen
 * them, and each would hold up somebody anew.
 * TLS must not be laid over it: it would take its handle, and the bytes would pass this object by. See `answered-stream.ts`.
 */
export class AnsweredSocket extends Socket {
  readonly #withinMs: number
  readonly #look: NodeJS.Timeout
  /** Since when an answer is waited for, on the process's monotonic clock; null: none is. */
  #since: number | null = null
  #inDoubt = false
  /** More was sent while an answer was waited for, so the next answer may not be the last. */
  #more = false
  #readThen = 0
  #readBefore = 0
  #readAt = performance.now()

  /** @param withinMs how long an answer may take, in milliseconds: longer than any statement or wait for a lock */
  constructor(withinMs: number) {
    super()
    this.#withinMs = withinMs
    this.#look = setInterval(() => this.#lookForSilence(), Math.min(LOOK_EVERY_MS, withinMs / 4))
    this.#look.unref()
    open.add(this)
  }

  // Not `write`, which connect() puts back to what it was.
  override _write(chunk: unknown, encoding: BufferEncoding, done: Done): void {
    super._write(chunk, encoding, done)
    this.#hasSent()
  }

  override _writev(chunks: { chunk: unknown; encoding: BufferEncoding }[], done: Done): void {
    super._writev?.(chunks, done)
    this.#hasSent()
  }

  override _destroy(error: Error | null, done: Done): void {
    clearInterval(this.#look)
    open.delete(this)
    super._destroy(error, done)
  }

  #hasSent(): void {
    this.#noteAnswers()
    if (this.#since !== null && !this.#inDoubt) this.#more = true
    else this.#waits(false)
  }

  #waits(inDoubt: boolean): void {
    this.#since = performance.now()
    this.#inDoubt = inDoubt
    this.#readThen = this.bytesRead
  }

  #noteAnswers(): void {
    if (this.#since === null || this.bytesRead === this.#readThen) return
    if (this.#more) this.#waits(true)
    else this.#since = null
    this.#more = false
  }

  #lookForSilence(): void {
    if (this.bytesRead !== this.#readBefore) this.#readAt = performance.now()
    this.#readBefore = this.bytesRead
    this.#noteAnswers()
    const withinMs = this.#withinMs * (this.#inDoubt ? IN_DOUBT : 1)
    if (this.#since === null || performance.now() - this.#since < withinMs) return
    const error = `PostgreSQL has not answered for ${this.#withinMs / 1_000} s; the connection is given up.`
    for (const socket of open)
      if (socket === this || performance.now() - socket.#readAt >= this.#withinMs)
        socket.destroy(new Error(error))
  }
}
