/** What the console uses of next-auth. Of the rest, `_log` would let strangers write into the log. */
const CALLS = new Set([
  'GET csrf',
  'GET session',
  'GET providers',
  'GET signin',
  'GET signout',
  'GET error',
  'POST callback/credentials',
  'POST signout',
])

/** Where next-auth keeps the place to go back to, over http and over https. */
export const CALLBACK_COOKIES = ['next-auth.callback-url', '__Secure-next-auth.callback-url'] as const

/**
 * Whether next-auth takes a text as the place to go back to. Any other it calls a fault of its configuration: it answers
 * 500 and writes the text into the log.
 */
export function isCallbackUrl(text: string): boolean {
  if (text === '') return true
  const base = text.startsWith('/') ? 'http://localhost' : undefined
  return URL.canParse(text, base) && /^https?:$/.test(new URL(text, base).protocol)
}

/** @param path the parts of the address behind `/api/auth/` */
export function isSignInCall(method: string, path: readonly string[]): boolean {
  return CALLS.has(`${method} ${path.join('/')}`)
}
