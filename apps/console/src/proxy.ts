import { type NextRequest, NextResponse } from 'next/server'
import { contentSecurityPolicy } from './content-security-policy.ts'
import { isDevelopment, isHttps } from './env.ts'

/**
 * Runs before every page: a Content-Security-Policy with a nonce of its own, which Next puts on its scripts, and the
 * path, for pages that send somebody to sign in and back.
 */
export function proxy(request: NextRequest): NextResponse {
  const nonce = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('base64')
  const policy = contentSecurityPolicy(nonce, { https: isHttps(), development: isDevelopment() })
  const headers = new Headers(request.headers)
  headers.set('content-security-policy', policy)
  headers.set('x-workly-path', request.nextUrl.pathname + request.nextUrl.search)
  const response = NextResponse.next({ request: { headers } })
  response.headers.set('Content-Security-Policy', policy)
  return response
}

export const config = { matcher: ['/((?!_next/static|_next/image).*)'] }
