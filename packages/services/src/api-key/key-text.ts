import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { ID_PREFIXES } from '@workly/core'
import { freshId } from '../context.ts'

/** An API key's text: `wk_`, its id without the prefix, `_`, and 32 random bytes in base64url. */
const FORM = /^wk_([0-9a-hjkmnp-tv-z]{26})_([A-Za-z0-9_-]{43})$/

export interface KeyParts {
  id: string
  secret: string
}

/**
 * A new key's text; the row is found by the id in it, so no search by secret is ever made.
 * @param at when the key comes to be
 */
export function newApiKeyText(at: Date): string {
  const id = freshId('apiKey', at).slice(ID_PREFIXES.apiKey.length + 1)
  return `wk_${id}_${randomBytes(32).toString('base64url')}`
}

/** Id and secret of a key's text; null for what has not its form. */
export function readKeyText(text: string): KeyParts | null {
  const [, id, secret] = FORM.exec(text) ?? []
  return id === undefined || secret === undefined ? null : { id: `${ID_PREFIXES.apiKey}_${id}`, secret }
}

/** SHA-256: the secret is 256 random bits, so there is nothing to guess that a slow hash would slow down. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

/** What an unknown key's secret is compared with. */
const NOTHING_MATCHES = Buffer.alloc(32)

/**
 * Whether a secret has the stored hash, by the same work whether there is one or not.
 * @param stored undefined where there is none: answers false
 */
export function matchesSecret(secret: string, stored: Uint8Array | undefined): boolean {
  return timingSafeEqual(hashSecret(secret), stored ?? NOTHING_MATCHES) && stored !== undefined
}
