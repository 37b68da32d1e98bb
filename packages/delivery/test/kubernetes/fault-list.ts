import type { IncomingMessage } from 'node:http'

export interface Fault {
  method?: string
  /** Matched against the path without its query. */
  path: RegExp
  status: number
  reason: string
  headers?: Record<string, string>
  /** How many requests it meets; default one. */
  times?: number
}

/** Refusals to order: the next requests of a kind are answered by these instead of the server. */
export class FaultList {
  readonly #faults: (Fault & { left: number })[] = []
  /** How often each was met, for tests that need to know it was. */
  met = 0

  add(fault: Fault): void {
    this.#faults.push({ ...fault, left: fault.times ?? 1 })
  }

  clear(): void {
    this.#faults.length = 0
  }

  take(request: IncomingMessage, path: string): Fault | null {
    const fault = this.#faults.find(
      ({ left, method, path: pattern }) =>
        left > 0 && (method === undefined || method === request.method) && pattern.test(path),
    )
    if (fault === undefined) return null
    fault.left--
    this.met++
    return fault
  }
}
