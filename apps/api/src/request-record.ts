import { randomFillSync } from 'node:crypto'
import { newId } from '@workly/core'
import type { MiddlewareHandler } from 'hono'
import type { Logger } from 'pino'
import type { ApiEnv } from './api-env.ts'

const GIVEN_ID = /^[A-Za-z0-9._-]{8,128}$/

const RANDOM_BYTES = 10
/** Asked of the system for many ids at once. */
const pool = new Uint8Array(RANDOM_BYTES * 400)
let used = pool.length

/** A new id of a request. */
export function newRequestId(): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += RANDOM_BYTES
  return newId('request', Date.now(), pool.subarray(used - RANDOM_BYTES, used))
}

/**
 * Gives each request its id (the caller's `X-Request-Id` where it is sane) and each answer its headers, and logs one
 * line per request: the route's pattern instead of the path, never query, body or headers.
 */
export function recordRequests(logger: Logger, isHttps: boolean): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    const given = c.req.header('x-request-id')
    const requestId = given !== undefined && GIVEN_ID.test(given) ? given : newRequestId()
    c.set('requestId', requestId)
    const startedMs = performance.now()
    await next()
    const { res } = c
    // On the answer itself: each `c.header` of an answer that is made already makes it anew, body and all.
    setSafeHeaders(res.headers, isHttps)
    res.headers.set('X-Request-Id', requestId)
    logger[res.status >= 500 ? 'warn' : 'info'](
      {
        request_id: requestId,
        method: c.req.method,
        route: c.get('route') ?? 'none',
        status: res.status,
        ms: Math.round((performance.now() - startedMs) * 10) / 10,
        project: c.get('ctx')?.projectId,
        actor: c.get('ctx')?.actor.kind === 'apiKey' ? c.get('ctx').actor.name : undefined,
      },
      'request',
    )
  }
}

/** Headers that keep a browser from doing anything with an answer but reading it. A page sets its own policy. */
function setSafeHeaders(headers: Headers, isHttps: boolean): void {
  headers.set('X-Content-Type-Options', 'nosniff')
  headers.set('X-Frame-Options', 'DENY')
  headers.set('Referrer-Policy', 'no-referrer')
  headers.set('Permissions-Policy', 'camera=(), geolocation=(), microphone=(), payment=(), usb=()')
  headers.set('Cross-Origin-Resource-Policy', 'same-origin')
  if (isHttps) headers.set('Strict-Transport-Security', 'max-age=31536000')
  if (!headers.has('Content-Security-Policy')) {
    headers.set('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'")
  }
  if (!headers.has('Cache-Control')) headers.set('Cache-Control', 'no-store')
}
