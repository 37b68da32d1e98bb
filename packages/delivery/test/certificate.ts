import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isIP } from 'node:net'

/** A certificate and its key, in PEM, as node:tls takes them. */
export interface TestCertificate {
  cert: string
  key: string
}

export interface CertificateOptions {
  /** Host names and IPv4 addresses that it is for. */
  names: string[]
  /** Default: a day ago. */
  from?: Date
  /** Default: a day from now. */
  to?: Date
}

const DAY_MS = 86_400_000

/** One element of DER: tag, length, contents. */
function der(tag: number, ...parts: (Uint8Array | number[])[]): Buffer {
  const content = Buffer.concat(parts.map(part => Buffer.from(part)))
  const size = content.length
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 255]
  return Buffer.concat([Buffer.from([tag, ...length]), content])
}

const sequence = (...parts: Buffer[]) => der(0x30, ...parts)
const oid = (...bytes: number[]) => der(0x06, bytes)
const ECDSA_WITH_SHA256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2))
const COMMON_NAME = oid(0x55, 4, 3)
const SUBJECT_ALT_NAME = oid(0x55, 0x1d, 17)
const BASIC_CONSTRAINTS = oid(0x55, 0x1d, 19)

const nameOf = (common: string) => sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from(common)))))

/** UTCTime, `YYMMDDHHMMSSZ`. */
const timeOf = (at: Date) => der(0x17, Buffer.from(`${at.toISOString().slice(2, 19).replace(/[-:T]/g, '')}Z`))

function extensions(names: string[], authority: boolean): Buffer {
  const list: Buffer[] = []
  if (authority) list.push(sequence(BASIC_CONSTRAINTS, der(1, [255]), der(4, sequence(der(1, [255])))))
  if (names.length > 0) {
    const general = names.map(name =>
      isIP(name) === 4 ? der(0x87, name.split('.').map(Number)) : der(0x82, Buffer.from(name)),
    )
    list.push(sequence(SUBJECT_ALT_NAME, der(4, sequence(...general))))
  }
  return der(0xa3, sequence(...list))
}

interface Issuer {
  name: string
  key: KeyObject
}

/** An X.509 v3 certificate (RFC 5280) over a fresh P-256 key. */
function build(subject: string, options: CertificateOptions, issuer: Issuer | null): TestCertificate {
  const now = Date.now()
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const signer = issuer ?? { name: subject, key: privateKey }
  const toSign = sequence(
    der(0xa0, der(2, [2])),
    der(2, [1], randomBytes(8)),
    ECDSA_WITH_SHA256,
    nameOf(signer.name),
    sequence(timeOf(options.from ?? new Date(now - DAY_MS)), timeOf(options.to ?? new Date(now + DAY_MS))),
    nameOf(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    extensions(options.names, options.names.length === 0),
  )
  const signature = sign('sha256', toSign, signer.key)
  const whole = sequence(toSign, ECDSA_WITH_SHA256, der(3, [0], signature))
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? []
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

/** A certificate that vouches for itself. */
export function selfSigned(options: CertificateOptions): TestCertificate {
  return build(options.names[0] ?? 'self', options, null)
}

/** An authority for the time of a test: give its `cert` to the caller as `ca`, and receivers what it issues. */
export class TestAuthority {
  readonly cert: string
  readonly #issuer: Issuer

  constructor(name = 'Workly test authority') {
    const own = build(name, { names: [] }, null)
    this.cert = own.cert
    this.#issuer = { name, key: createPrivateKey(own.key) }
  }

  issue(options: CertificateOptions): TestCertificate {
    return build(options.names[0] ?? 'target', options, this.#issuer)
  }
}
