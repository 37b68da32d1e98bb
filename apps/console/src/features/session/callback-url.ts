/**
 * Where to go after signing in: a path of this console, or `/` for anything that could lead elsewhere (another origin,
 * `//host`, `/\host`, control characters) or back to sign-in.
 */
export function safeCallbackPath(callbackUrl: string | null | undefined): string {
  if (!callbackUrl?.startsWith('/') || /[\\\p{Cc}]/u.test(callbackUrl)) return '/'
  const base = 'http://console.invalid'
  if (!URL.canParse(callbackUrl, base)) return '/'
  const url = new URL(callbackUrl, base)
  // `/..//host` becomes `//host` once it is resolved, so the result is judged, not what was given.
  if (url.origin !== base || url.pathname.startsWith('//')) return '/'
  if (url.pathname.startsWith('/sign-in') || url.pathname.startsWith('/api/')) return '/'
  return `${url.pathname}${url.search}${url.hash}`
}
