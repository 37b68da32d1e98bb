import { cookies } from 'next/headers'
import { knownBrowser } from '../../cookies.ts'

/** Browsers keep a cookie for 400 days at most (RFC 6265bis section 5.5). */
const LONGEST_SECONDS = 400 * 24 * 3600

export function knownBrowserCookie(https: boolean): string {
  return knownBrowser(https).name
}

/** Has the browser of the request at hand keep that it has signed in. */
export async function keepKnownBrowser(text: string, https: boolean): Promise<void> {
  const { name, options } = knownBrowser(https)
  const jar = await cookies()
  jar.set(name, text, { ...options, maxAge: LONGEST_SECONDS })
}
