import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/**
 * What a browser keeps of a sign-in, beyond the session: that it has signed in to an account. It lets nobody in; it only
 * has its holder's wrong passwords counted apart from those of strangers ("device cookies", OWASP). It is good for the
 * one account it was given for.
 */
export function knownBrowserText(secret: string, account: string): string {
  const id = randomBytes(16).toString('base64url')
  return `${id}.${proof(secret, account, id).toString('base64url')}`
}

/** @returns the browser's id; null when the text was not given for this account */
export function readKnownBrowser(secret: string, account: string, text: string | undefined): string | null {
  const [, id, mac] = /^([\w-]{22})\.([\w-]{43})$/.exec(text ?? '') ?? []
  if (id === undefined || mac === undefined) return null
  const given = Buffer.from(mac, 'base64url')
  const right = proof(secret, account, id)
  return given.length === right.length && timingSafeEqual(given, right) ? id : null
}

function proof(secret: string, account: string, id: string): Buffer {
  return createHmac('sha256', secret).update(`workly known browser\n${id}\n${account}`).digest()
}
