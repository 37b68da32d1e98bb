import { createHash, timingSafeEqual } from 'node:crypto'
import type { EncryptionKeys } from '../encryption.ts'

/** A callback's token, and what is stored of it. */
export interface CallbackToken {
  token: string
  hash: Buffer
  keyId: string
}

export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/**
 * The token of an attempt's callback: made from its id with a server key, so that whoever takes the attempt over can make
 * it again, and stored as a hash (spec section 5).
 */
export function callbackToken(encryption: EncryptionKeys, attemptId: string, keyId?: string): CallbackToken {
  const made = encryption.mac(`callback ${attemptId}`, keyId)
  const token = made.mac.toString('base64url')
  return { token, hash: hashToken(token), keyId: made.keyId }
}

/** Compares in constant time; a token of an unknown attempt is compared too, with a hash that none has. */
export function tokenMatches(token: string, hash: Uint8Array | undefined): boolean {
  const given = hashToken(token)
  const same = timingSafeEqual(given, hash ?? Buffer.alloc(32))
  return hash !== undefined && same
}

/**
 * Whether a token is the one that this server makes for an attempt, with any of its keys: told without the database. The
 * stored hash decides whether it is taken; this, whether somebody guesses. A key is to stay in the list until the
 * callbacks of its making have come.
 */
export function isMadeHere(encryption: EncryptionKeys, attemptId: string, token: string): boolean {
  return encryption.ids
    .map(keyId => tokenMatches(token, callbackToken(encryption, attemptId, keyId).hash))
    .includes(true)
}

/** Where a target reports that its work is done. */
export function callbackUrl(publicUrl: string, attemptId: string, token: string): string {
  return `${publicUrl}/v1/callbacks/${attemptId}/${token}`
}
