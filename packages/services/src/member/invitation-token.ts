import { createHash, randomBytes } from 'node:crypto'

/** The part of an invitation's link that lets its holder in: 32 random bytes in base64url. */
export function newInvitationToken(): string {
  return randomBytes(32).toString('base64url')
}

/** What is stored of it; a random token needs no slow hash. */
export function hashInvitationToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
