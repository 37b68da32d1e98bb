import type { IncomingMessage } from 'node:http'

export interface FaultTarget {
  method?: string
  /** Matched against the path without its query. */
  path: RegExp
  /** Matched against the query, of which `?` is no part. */
  query?: RegExp
  /** How many requests it meets; default one. */
  times?: number
}

export interface RefusalFault {
  status: number
  reason: string
  message?: string
  headers?: Record<string, string>
}

/** What comes in place of an answer, or of the rest of it. */
export type Fault = FaultTarget &
  (
    | RefusalFault
    /** A status of success, and nothing of the server's behind it. */
    | { garbage: string }
    /** The server does what it is asked; of its answer half arrives, or nothing. */
    | { breaks: 'in the answer' | 'before the answer' }
  )

/** Faults to order: the next requests of a kind are answered by these instead of the server. */
export class FaultList {
  readonly #faults: (Fault & { left: number })[] = []
  /** How often each was met, for tests that need to know it was. */
  met = 0
  #allUsed = Promise.withResolvers<void>()

  add(fault: Fault): void {
    this.#faults.push({ ...fault, left: fault.times ?? 1 })
    this.#allUsed = Promise.withResolvers()
  }

  /** Resolves when all that were ordered have been met. */
  used(): Promise<void> {
    return this.#allUsed.promise
  }

  clear(): void {
    this.#faults.length = 0
  }

  take(request: IncomingMessage, { pathname, search }: URL): Fault | null {
    const fault = this.#faults.find(
      ({ left, method, path, query }) =>
        left > 0 &&
        (method === undefined || method === request.method) &&
        path.test(pathname) &&
        (query === undefined || query.test(search.slice(1))),
    )
    if (fault === undefined) return null
    fault.left--
    this.met++
    if (this.#faults.every(({ left }) => left === 0)) this.#allUsed.resolve()
    return fault
  }
}
