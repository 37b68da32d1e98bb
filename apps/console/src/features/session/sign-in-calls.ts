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

/** @param path the parts of the address behind `/api/auth/` */
export function isSignInCall(method: string, path: readonly string[]): boolean {
  return CALLS.has(`${method} ${path.join('/')}`)
}
