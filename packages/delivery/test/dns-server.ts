import { createSocket, type RemoteInfo } from 'node:dgram'
import { once } from 'node:events'
import { isIPv4 } from 'node:net'

/** What a name has: its addresses with a TTL in seconds, no answer at all, or an error (RCODE 2, SERVFAIL). */
export type Zone = Record<string, { addresses: string[]; ttl: number } | 'silent' | 'servfail'>

const TYPE_A = 1
const TYPE_AAAA = 28

/** A name server on loopback over UDP (RFC 1035), as much of one as A and AAAA questions need. */
export class DnsServer {
  /** Names asked for, each once per question (A and AAAA). */
  readonly asked: string[] = []
  readonly #zone: Zone
  readonly #socket = createSocket('udp4')

  private constructor(zone: Zone) {
    this.#zone = zone
    this.#socket.on('message', (query, from) => this.#answer(query, from))
  }

  static async start(zone: Zone): Promise<DnsServer> {
    const server = new DnsServer(zone)
    server.#socket.bind(0, '127.0.0.1')
    await once(server.#socket, 'listening')
    return server
  }

  get address(): string {
    return `127.0.0.1:${this.#socket.address().port}`
  }

  async close(): Promise<void> {
    this.#socket.close()
    await once(this.#socket, 'close')
  }

  #answer(query: Buffer, from: RemoteInfo): void {
    const labels: string[] = []
    let at = 12
    for (let size = query[at] ?? 0; size > 0; size = query[at] ?? 0) {
      labels.push(query.toString('latin1', at + 1, at + 1 + size))
      at += size + 1
    }
    const type = query.readUInt16BE(at + 1)
    const name = labels.join('.').toLowerCase()
    this.asked.push(name)
    const known = this.#zone[name]
    if (known === 'silent') return
    const fitting =
      typeof known === 'object' ? known.addresses.filter(a => isIPv4(a) === (type === TYPE_A)) : []
    const records = fitting.map(address => record(address, type, typeof known === 'object' ? known.ttl : 0))
    const rcode = known === 'servfail' ? 2 : known === undefined ? 3 : 0
    const header = Buffer.alloc(12)
    query.copy(header, 0, 0, 2)
    header.writeUInt16BE(0x8180 | rcode, 2)
    header.writeUInt16BE(1, 4)
    header.writeUInt16BE(records.length, 6)
    this.#socket.send(
      Buffer.concat([header, query.subarray(12, at + 5), ...records]),
      from.port,
      from.address,
    )
  }
}

/** A resource record for the name of the question (a pointer to it, RFC 1035 section 4.1.4). */
function record(address: string, type: number, ttl: number): Buffer {
  const data = type === TYPE_AAAA ? ipv6Bytes(address) : Buffer.from(address.split('.').map(Number))
  const head = Buffer.alloc(12)
  head.writeUInt16BE(0xc00c, 0)
  head.writeUInt16BE(type, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt32BE(ttl, 6)
  head.writeUInt16BE(data.length, 10)
  return Buffer.concat([head, data])
}

function ipv6Bytes(address: string): Buffer {
  const [left = '', right = ''] = address.split('::')
  const groups = (part: string) => part.split(':').filter(group => group !== '')
  const missing = 8 - groups(left).length - groups(right).length
  const all = [...groups(left), ...Array<string>(missing).fill('0'), ...groups(right)]
  return Buffer.from(all.map(group => group.padStart(4, '0')).join(''), 'hex')
}
