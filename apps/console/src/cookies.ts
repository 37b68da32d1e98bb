/**
 * How a cookie of the console is set: out of reach of scripts, sent to nobody else, and over https only ever by and to
 * this very host (`__Host-`: Secure, the whole path, no domain).
 */
function ownCookie(name: string, https: boolean) {
  return {
    name: `${https ? '__Host-' : ''}${name}`,
    options: { httpOnly: true, sameSite: 'lax', path: '/', secure: https } as const,
  }
}

export const sessionCookie = (https: boolean) => ownCookie('workly-session', https)
export const knownBrowser = (https: boolean) => ownCookie('workly-known-browser', https)
