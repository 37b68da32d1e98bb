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

/** Where a target reports that its work is done. */
export function callbackUrl(publicUrl: string, attemptId: string, token: string): string {
  return `${publicUrl}/v1/callbacks/${attemptId}/${token}`
}
