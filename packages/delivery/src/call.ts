import type { AttemptClass } from '@workly/core'

/** One HTTP call to an address that a customer gave. */
export interface HttpCall {
  url: string
  method: string
  /** Everything to send but `Host`, `Content-Length` and `Connection`, which follow from the call. */
  headers: Readonly<Record<string, string>>
  body: Uint8Array | null
  /** For the whole call, name look-up and connecting included, in milliseconds. */
  timeoutMs: number
  /** The project's id: a connection is only ever used again within one scope and origin. */
  scope: string
  /** Aborting it ends the call at once, with class `cancelled`. */
  signal?: AbortSignal
  /**
   * How much of the response's body to keep, in bytes; default 64 KiB. More, for a caller that has to mask secrets
   * before it cuts.
   */
  keepBodyBytes?: number
}

/** What each part of a call took, in milliseconds; null for parts that did not happen (or, at a failure, not end). */
export interface CallTimings {
  /** Null for a literal address. */
  dns: number | null
  /** Null when an open connection was used again; so is `tls`. */
  connect: number | null
  tls: number | null
  /** From the start of the call to the first byte of the response. */
  firstByte: number | null
  total: number
}

/** What became of a call. Whatever the target does is in here; a call throws nothing. */
export interface CallResult {
  class: 'ok' | AttemptClass
  /** Known whenever the response's headers had come, also if the call failed after them. */
  status: number | null
  /** At most 16 KiB; names in lower case, several values of one name joined by `, `. */
  headers: Record<string, string> | null
  /** As it came over the wire, never decompressed; the first 64 KiB (or `keepBodyBytes`). */
  body: Uint8Array
  bodyTruncated: boolean
  timings: CallTimings
  /**
   * Null when the class is `ok`; else what went wrong and what to do. It may quote the target's body or headers, so mask
   * secrets in it before it is cut and stored.
   */
  message: string | null
  /** `Retry-After` of a 429 or 503, as milliseconds from the end of the call. */
  retryAfterMs: number | null
  /** The `Location` header of a 3xx, as sent. */
  location: string | null
}
