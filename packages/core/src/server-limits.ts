/**
 * What Workly's servers take of one connection, so that nobody holds them up by sending slowly or without end. All are
 * settings of Node's `http.createServer`, in milliseconds, bytes and numbers.
 */
export const SERVER_LIMITS = {
  /** From the first byte of a request to the end of its header. */
  headersTimeout: 15_000,
  /** From its first byte to the end of its body. */
  requestTimeout: 60_000,
  /** How often both are looked at: a late one is told 408 that much later at most. */
  connectionsCheckingInterval: 5_000,
  /** The request line and all header fields together; more is told 431. */
  maxHeaderSize: 16_384,
} as const

/** Connections that one server holds at once; what comes beyond is closed unheard. */
export const MOST_CONNECTIONS = 10_000
