/** What the console's composition is read from. Without imports, since the proxy in front of every page uses this file. */
export function environment(): NodeJS.ProcessEnv {
  return process.env
}

/**
 * Where the console is reached, as next-auth reads it too: `NEXTAUTH_URL`, else `WORKLY_PUBLIC_URL`.
 * An https address makes cookies Secure and turns on HSTS.
 */
export function publicUrl(): string | undefined {
  return process.env.NEXTAUTH_URL || process.env.WORKLY_PUBLIC_URL || undefined
}

export function isHttps(): boolean {
  return publicUrl()?.startsWith('https:') ?? false
}

/** `WORKLY_TRUSTED_PROXIES`: blocks of addresses whose `X-Forwarded-For` is believed. */
export function trustedProxies(): string | undefined {
  return process.env.WORKLY_TRUSTED_PROXIES
}

export function isDevelopment(): boolean {
  return process.env.NODE_ENV === 'development'
}

/**
 * The key that session tokens are encrypted with.
 * @throws Error when it is not set
 */
export function authSecret(): string {
  const secret = process.env.NEXTAUTH_SECRET
  if (!secret)
    throw new Error(
      'NEXTAUTH_SECRET is not set; give one of 32 random bytes, such as `openssl rand -hex 32`.',
    )
  return secret
}

/**
 * Gives next-auth, which reads it from the environment alone, the address that Workly is reached at.
 * @throws Error when neither variable is set
 */
export function setAuthUrl(): void {
  const url = publicUrl()
  if (!url) throw new Error('WORKLY_PUBLIC_URL is not set; give the address that the console is reached at.')
  process.env.NEXTAUTH_URL = url
}

/**
 * Where a console of its own listens: `HOST` (default 127.0.0.1) and `PORT` (default 7338).
 * @throws Error naming a port that is none
 */
export function listenAddress(): { host: string; port: number } {
  const text = process.env.PORT || '7338'
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port < 1 || port > 65_535) {
    throw new Error(`PORT is "${text}"; a whole number from 1 to 65535 is allowed.`)
  }
  return { host: process.env.HOST || '127.0.0.1', port }
}
