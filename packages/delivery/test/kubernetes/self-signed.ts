import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** One value of DER (X.690): tag, length, content. */
function der(tag: number, ...parts: Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

const SEQUENCE = 0x30
const sequence = (...parts: Uint8Array[]) => der(SEQUENCE, ...parts)
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'))

const COMMON_NAME = oid('550403')
const ECDSA_WITH_SHA256 = sequence(oid('2a8648ce3d040302'))
const BASIC_CONSTRAINTS = oid('551d13')
const SUBJECT_ALT_NAME = oid('551d11')

function utcTime(ms: number): Buffer {
  const text = new Date(ms).toISOString().replace(/[-:T]/g, '').slice(2, 14)
  return der(0x17, Buffer.from(`${text}Z`))
}

function extension(id: Buffer, value: Buffer): Buffer {
  return sequence(id, der(0x04, value))
}

function pem(kind: string, bytes: Uint8Array): string {
  const lines = Buffer.from(bytes).toString('base64').replace(/.{64}/g, '$&\n')
  return `-----BEGIN ${kind}-----\n${lines}\n-----END ${kind}-----\n`
}

/** A certificate for 127.0.0.1 that signs itself (RFC 5280), good for a day: nothing secret lies in the repository. */
export function selfSigned(): { cert: string; key: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const name = sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from('workly-test')))))
  const now = Date.now()
  const extensions = sequence(
    extension(BASIC_CONSTRAINTS, sequence(der(0x01, Buffer.from([0xff])))),
    extension(SUBJECT_ALT_NAME, sequence(der(0x87, Buffer.from([127, 0, 0, 1])))),
  )
  const certificate = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ECDSA_WITH_SHA256,
    name,
    sequence(utcTime(now - 3_600_000), utcTime(now + 86_400_000)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  )
  const signature = der(0x03, Buffer.from([0]), sign('sha256', certificate, privateKey))
  return {
    cert: pem('CERTIFICATE', sequence(certificate, ECDSA_WITH_SHA256, signature)),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}
