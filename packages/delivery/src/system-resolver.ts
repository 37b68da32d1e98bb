import { performance } from 'node:perf_hooks'
import { type DnsAnswer, type DnsServers, lookUp } from './dns-lookup.ts'
import { lookUpInHosts } from './hosts-file.ts'
import type { Resolver } from './resolver.ts'

export interface SystemResolverOptions extends DnsServers {
  /**
   * A hosts file to read before DNS is asked, or null. Only for an operator who has opened private networks: there its
   * names mean something, elsewhere they are the machine's own affair.
   */
  hostsFile: string | null
}

/** However long a TTL, a name is asked for again after this: targets move, and a look-up is cheap. */
const LONGEST_MS = 30_000
/** How long a line of the hosts file counts. */
const HOSTS_MS = 5000
const MOST_NAMES = 5000

interface Pending {
  answer: Promise<readonly string[]>
  /** Ends the look-up once nobody waits for it any more. */
  abort: AbortController
  waiting: number
}

/**
 * DNS as the machine has it, each answer kept for its TTL (at most 30 s), each name looked up once for all who wait for
 * it. Failures are not kept.
 */
export class SystemResolver implements Resolver {
  readonly #options: SystemResolverOptions
  readonly #known = new Map<string, { addresses: readonly string[]; until: number }>()
  readonly #pending = new Map<string, Pending>()

  constructor(options: SystemResolverOptions) {
    this.#options = options
  }

  async resolve(host: string, signal: AbortSignal): Promise<readonly string[]> {
    const known = this.#known.get(host)
    if (known !== undefined && performance.now() < known.until) return known.addresses
    signal.throwIfAborted()
    const pending = this.#pending.get(host) ?? this.#start(host)
    pending.waiting++
    const { promise: left, reject: leave } = Promise.withResolvers<never>()
    const onAbort = () => leave(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      return await Promise.race([pending.answer, left])
    } finally {
      signal.removeEventListener('abort', onAbort)
      pending.waiting--
      if (pending.waiting === 0) this.#drop(host, pending)
    }
  }

  #start(host: string): Pending {
    const abort = new AbortController()
    const answer = this.#ask(host, abort.signal).then(({ addresses, ttlMs }) => {
      this.#keep(host, addresses, Math.min(ttlMs, LONGEST_MS))
      return addresses
    })
    // Everybody may have left by the time it fails.
    answer.catch(() => undefined)
    const pending = { answer, abort, waiting: 0 }
    this.#pending.set(host, pending)
    return pending
  }

  #drop(host: string, pending: Pending): void {
    if (this.#pending.get(host) === pending) this.#pending.delete(host)
    pending.abort.abort()
  }

  async #ask(host: string, signal: AbortSignal): Promise<DnsAnswer> {
    if (this.#options.hostsFile !== null) {
      const addresses = await lookUpInHosts(this.#options.hostsFile, host)
      if (addresses.length > 0) return { addresses, ttlMs: HOSTS_MS }
    }
    return lookUp(host, signal, this.#options)
  }

  #keep(host: string, addresses: readonly string[], forMs: number): void {
    this.#known.delete(host)
    if (forMs <= 0) return
    const [oldest] = this.#known.keys()
    if (this.#known.size >= MOST_NAMES && oldest !== undefined) this.#known.delete(oldest)
    this.#known.set(host, { addresses, until: performance.now() + forMs })
  }
}
