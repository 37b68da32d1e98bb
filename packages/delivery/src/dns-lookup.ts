import { promises as dns, type RecordWithTtl } from 'node:dns'
import { ResolveError } from './resolver.ts'

export interface DnsAnswer {
  addresses: readonly string[]
  /** How long the answer may be used, in milliseconds. */
  ttlMs: number
}

export interface DnsServers {
  /** `ip` or `ip:port`; the machine's own (`/etc/resolv.conf`) when left out. */
  servers?: readonly string[]
}

/** One try waits 2 s, the next twice as long: a name whose servers are dead fails after some 6 s. */
const TRY_MS = 2000
const TRIES = 2

/** What a record type that the name does not have is answered with. */
const NO_RECORDS = new Set(['ENODATA', 'ENOTFOUND'])

function codeOf(reason: unknown): string {
  return reason instanceof Error && 'code' in reason ? String(reason.code) : 'EUNKNOWN'
}

/**
 * Asks DNS for a name's A and AAAA records, bypassing `getaddrinfo`, whose four threads a few dead names would fill.
 * Search domains and the hosts file are not consulted.
 *
 * An answer is taken when one of the two questions was answered with addresses, even if the other failed: only
 * addresses that are known are ever connected to.
 * @throws ResolveError
 */
export async function lookUp(host: string, signal: AbortSignal, from: DnsServers = {}): Promise<DnsAnswer> {
  // A resolver of its own, since cancel() ends all questions of one (it costs 0.04 ms to make).
  const resolver = new dns.Resolver({ timeout: TRY_MS, tries: TRIES })
  if (from.servers) resolver.setServers(from.servers)
  const cancel = () => resolver.cancel()
  signal.addEventListener('abort', cancel, { once: true })
  try {
    const answers = await Promise.allSettled([
      resolver.resolve4(host, { ttl: true }),
      resolver.resolve6(host, { ttl: true }),
    ])
    const records = answers.flatMap((answer): RecordWithTtl[] =>
      answer.status === 'fulfilled' ? answer.value : [],
    )
    if (records.length === 0) throw new ResolveError(failureOf(answers), host)
    return {
      addresses: records.map(record => record.address),
      ttlMs: Math.min(...records.map(record => record.ttl)) * 1000,
    }
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

/** The failure that says most: a server that did not answer, before a record type that is not there. */
function failureOf(answers: PromiseSettledResult<unknown>[]): string {
  const codes = answers.flatMap(answer => (answer.status === 'rejected' ? [codeOf(answer.reason)] : []))
  return codes.find(code => !NO_RECORDS.has(code)) ?? codes[0] ?? 'ENODATA'
}
