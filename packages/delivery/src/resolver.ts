/** Finds the addresses of a name. Which of them may be called is not its business, but the guard's. */
export interface Resolver {
  /**
   * All IPv4 and IPv6 addresses of a name, in the order to try them.
   * @param host a name: no literal address, no trailing dot
   * @param signal ends the look-up
   * @throws ResolveError when the name has no address or cannot be looked up
   */
  resolve(host: string, signal: AbortSignal): Promise<readonly string[]>
}

/** `code` is one of node:dns's, such as `ENOTFOUND`, `ESERVFAIL` or `ETIMEOUT`. */
export class ResolveError extends Error {
  readonly code: string

  constructor(code: string, host: string) {
    super(`${host}: ${code}`)
    this.name = 'ResolveError'
    this.code = code
  }
}
