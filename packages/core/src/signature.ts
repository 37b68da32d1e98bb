import { type Hmac, hmacSha256, hmacWith } from './hmac.ts'

/** Why a signature was not accepted; the same words as in the client libraries of every language. */
export type SignatureErrorCode =
  | 'missing_header'
  | 'invalid_timestamp'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'no_matching_signature'

/** The call was not (provably) made by Workly, or not now. Answer it with 401 and do nothing. */
export class SignatureError extends Error {
  readonly code: SignatureErrorCode

  constructor(code: SignatureErrorCode, message: string) {
    super(message)
    this.name = 'SignatureError'
    this.code = code
  }
}

const SECRET_PREFIX = 'whsec_'
const SECRET_BYTES = 32
const encoder = new TextEncoder()

function toBase64(bytes: Uint8Array): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary)
}

/** The bytes of base64 in its canonical form, or null: what `atob` lets through besides is no signature of ours. */
function fromBase64(text: string): Uint8Array | null {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return null
  return Uint8Array.from(atob(text), char => char.charCodeAt(0))
}

/**
 * A new signing secret: `whsec_` and 32 random bytes in base64, as Standard Webhooks writes them.
 * @param randomBytes a cryptographic source of that many bytes
 */
export function newSigningSecret(randomBytes: (count: number) => Uint8Array): string {
  return SECRET_PREFIX + toBase64(randomBytes(SECRET_BYTES))
}

function secretKey(secret: string): Uint8Array {
  const key = fromBase64(secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret)
  if (key === null || key.length === 0) {
    throw new TypeError('A signing secret is whsec_ followed by base64; copy it whole from the console.')
  }
  return key
}

/** Keys that sign again and again, made ready once; no more than these, the latest. */
const readyKeys = new Map<string, Hmac>()
const MOST_READY = 1_000

function signingKey(secret: string): Hmac {
  const ready = readyKeys.get(secret)
  if (ready !== undefined) return ready
  const made = hmacWith(secretKey(secret))
  const [oldest] = readyKeys.keys()
  if (readyKeys.size >= MOST_READY && oldest !== undefined) readyKeys.delete(oldest)
  readyKeys.set(secret, made)
  return made
}

/** Compares in a time that depends on the lengths alone, so that a forger learns nothing from how long it took. */
function timingSafeEqual(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  let different = 0
  for (let i = 0; i < a.length; i++) different |= (a[i] as number) ^ (b[i] as number)
  return different === 0
}

/** `id.timestamp.` before the body (Standard Webhooks, "Signature scheme"). */
function head(id: string, timestamp: string): Uint8Array {
  return encoder.encode(`${id}.${timestamp}.`)
}

/**
 * The value of `Workly-Signature` (and, for its own id, of `webhook-signature`): one `v1,…` per secret, separated by
 * blanks (spec section 6; Standard Webhooks: HMAC-SHA256 over `id.timestamp.body`, base64).
 * @param message.timestamp unix seconds, as sent in `Workly-Timestamp`
 * @param message.body the exact bytes that are sent
 * @param message.secrets the live ones, newest first
 * @throws RangeError for an id that is empty or holds a dot, since the signed text could then be cut at another place,
 *   for a timestamp that is no whole number of seconds, and for no secrets
 */
export function signaturesFor(message: {
  id: string
  timestamp: number
  body: Uint8Array
  secrets: readonly string[]
}): string {
  const { id, timestamp, body, secrets } = message
  if (id === '' || id.includes('.'))
    throw new RangeError(`An id to sign is not empty and has no dot: "${id}"`)
  if (!Number.isSafeInteger(timestamp) || timestamp < 0) {
    throw new RangeError(`A timestamp to sign is in whole unix seconds: ${timestamp}`)
  }
  if (secrets.length === 0) throw new RangeError('There is no secret to sign with.')
  const signed = head(id, String(timestamp))
  return secrets.map(secret => `v1,${toBase64(signingKey(secret)(signed, body))}`).join(' ')
}

/** Headers as Node, a framework or `fetch` presents them; names in any case. */
export type HeaderSource =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

export interface VerifySignatureInput {
  headers: HeaderSource
  /** The request's body as it came, before any parsing; a string stands for its UTF-8 bytes. */
  body: Uint8Array | string
  /** The project's signing secret, `whsec_…`. */
  secret?: string
  /** All secrets to accept, during a rotation. */
  secrets?: readonly string[]
  /** How far `Workly-Timestamp` may be from now, either way, in seconds. Default 300. */
  toleranceSeconds?: number
  /** Unix seconds. */
  now: number
}

export interface VerifiedSignature {
  /** The run that the call belongs to; the same on every attempt. */
  runId: string
  /** When the attempt was signed, in unix seconds. */
  timestamp: number
}

type Names = readonly [id: string, timestamp: string, signature: string]
const WORKLY_HEADERS: Names = ['Workly-Run-Id', 'Workly-Timestamp', 'Workly-Signature']
const STANDARD_HEADERS: Names = ['webhook-id', 'webhook-timestamp', 'webhook-signature']

/** Every value of a header, in any case of its name. */
function valuesOf(headers: HeaderSource, name: string): string[] {
  if (typeof headers.get === 'function') {
    const value = (headers as { get(name: string): string | null }).get(name)
    return value === null || value === undefined || value === '' ? [] : [value]
  }
  const values: string[] = []
  for (const [key, value] of Object.entries(
    headers as Record<string, string | readonly string[] | undefined>,
  )) {
    if (key.toLowerCase() !== name.toLowerCase() || value === undefined) continue
    values.push(...(typeof value === 'string' ? [value] : value))
  }
  return values.filter(value => value !== '')
}

/** Workly's own headers, or Standard Webhooks' where a proxy has left only those. */
function signatureHeaders(headers: HeaderSource): [id: string[], timestamp: string[], signature: string[]] {
  const names = WORKLY_HEADERS.some(name => valuesOf(headers, name).length > 0)
    ? WORKLY_HEADERS
    : STANDARD_HEADERS
  const [id, timestamp, signature] = names.map(name => valuesOf(headers, name))
  const missing = [id, timestamp, signature].findIndex(values => values === undefined || values.length === 0)
  if (id === undefined || timestamp === undefined || signature === undefined || missing >= 0) {
    const wanted = names === STANDARD_HEADERS ? WORKLY_HEADERS : names
    throw new SignatureError('missing_header', `The header ${wanted[Math.max(missing, 0)]} is missing.`)
  }
  return [id, timestamp, signature]
}

function checkTimestamp(values: string[], now: number, tolerance: number): number {
  const [text = ''] = values
  if (values.length > 1 || !/^\d+$/.test(text)) {
    throw new SignatureError('invalid_timestamp', 'Workly-Timestamp is not one whole number of unix seconds.')
  }
  const timestamp = Number(text)
  if (timestamp < now - tolerance) {
    throw new SignatureError('timestamp_too_old', `The call was signed more than ${tolerance} seconds ago.`)
  }
  if (timestamp > now + tolerance) {
    throw new SignatureError('timestamp_too_new', `The call was signed more than ${tolerance} seconds ahead.`)
  }
  return timestamp
}

/**
 * Checks that a call was made by Workly, was not altered, and is fresh (spec section 6).
 *
 * Several signatures may stand in the header during a rotation: one that matches one of the secrets is enough. Versions
 * other than `v1` are ignored.
 * @throws SignatureError with the reason as `code`
 * @throws TypeError when no secret is given, or one that is not a signing secret
 */
export function verifySignature(input: VerifySignatureInput): VerifiedSignature {
  const secrets = [...(input.secrets ?? []), ...(input.secret === undefined ? [] : [input.secret])]
  if (secrets.length === 0)
    throw new TypeError('Give the signing secret as `secret`, or several as `secrets`.')
  const keys = secrets.map(secretKey)
  const [ids, timestamps, signatures] = signatureHeaders(input.headers)
  const timestamp = checkTimestamp(timestamps, input.now, input.toleranceSeconds ?? 300)
  const [id = ''] = ids
  // With a dot in it, the same signed bytes could be read as another id, timestamp and body.
  if (ids.length > 1 || id.includes('.')) {
    throw new SignatureError('no_matching_signature', 'The id is not one that Workly signs.')
  }
  const body = typeof input.body === 'string' ? encoder.encode(input.body) : input.body
  const given = signatures
    .flatMap(value => value.split(' '))
    .filter(part => part.startsWith('v1,'))
    .map(part => fromBase64(part.slice(3)))
  const signed = head(id, timestamps[0] ?? '')
  for (const key of keys) {
    const expected = hmacSha256(key, signed, body)
    for (const signature of given) {
      if (signature !== null && timingSafeEqual(signature, expected)) return { runId: runIdOf(id), timestamp }
    }
  }
  throw new SignatureError(
    'no_matching_signature',
    'No signature matches: wrong secret, or the body was altered.',
  )
}

/** In a pipeline `webhook-id` is the run's id, `_` and the step's id; a run's own id has one underscore. */
function runIdOf(id: string): string {
  return /^run_[^_]+/.exec(id)?.[0] ?? id
}
