import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { wireText } from '@workly/core'
import { PASSWORD_COST, type PasswordCost } from './password-cost.ts'

/** A password that may be set. */
export const newPassword = wireText(256).min(10, 'at least 10 characters')

const KEY_BYTES = 32

/** What is compared with when there is no hash: the same work, and nothing matches it. */
const NOTHING_MATCHES = storedText(PASSWORD_COST, Buffer.alloc(16), Buffer.alloc(KEY_BYTES))

/** The hash of a password, with its parameters and salt, to be stored. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  return storedText(PASSWORD_COST, salt, await derive(password, salt, PASSWORD_COST))
}

/**
 * Whether a password is the one that was hashed.
 * @param stored null where there is none: answers false after the same work
 * @throws Error when `stored` is no text of {@link hashPassword}
 */
export async function matchesPassword(password: string, stored: string | null): Promise<boolean> {
  const { cost, salt, key } = readStored(stored ?? NOTHING_MATCHES)
  return timingSafeEqual(await derive(password, salt, cost), key) && stored !== null
}

/** Looks alike, is alike: the same password may come composed or not from different keyboards (NIST SP 800-63B 3.1.1.2). */
function derive(password: string, salt: Buffer, cost: PasswordCost): Promise<Buffer> {
  const N = 2 ** cost.log2N
  const options: ScryptOptions = { N, r: cost.r, p: cost.p, maxmem: 256 * N * cost.r }
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, KEY_BYTES, options, (error, key) =>
      error ? reject(error) : resolve(key),
    )
  })
}

/** The PHC string format, as most libraries write it. */
function storedText(cost: PasswordCost, salt: Buffer, key: Buffer): string {
  const text = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
  return `$scrypt$ln=${cost.log2N},r=${cost.r},p=${cost.p}$${text(salt)}$${text(key)}`
}

function readStored(stored: string): { cost: PasswordCost; salt: Buffer; key: Buffer } {
  const match = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(
    stored,
  )
  const [, log2N, r, p, salt = '', key = ''] = match ?? []
  const keyBytes = Buffer.from(key, 'base64')
  if (!match || keyBytes.length !== KEY_BYTES) throw new Error('a stored password hash cannot be read')
  return {
    cost: { log2N: Number(log2N), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, 'base64'),
    key: keyBytes,
  }
}
