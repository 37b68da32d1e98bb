import { randomBytes } from 'node:crypto'
import { newId } from '@workly/core'
import type { MiddlewareHandler } from 'hono'
import type { Logger } from 'pino'
import type { ApiContext, ApiEnv } from './api-env.ts'

const GIVEN_ID = /^[A-Za-z0-9._-]{8,128}$/

/** A new id of a request. */
export function newRequestId(): string {
  return newId('request', Date.now(), randomBytes(10))
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
    setSafeHeaders(c, isHttps)
    c.header('X-Request-Id', requestId)
    const { res } = c
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
function setSafeHeaders(c: ApiContext, isHttps: boolean): void {
  c.header('X-Content-Type-Options', 'nosniff')
  c.header('X-Frame-Options', 'DENY')
  c.header('Referrer-Policy', 'no-referrer')
  c.header('Permissions-Policy', 'camera=(), geolocation=(), microphone=(), payment=(), usb=()')
  c.header('Cross-Origin-Resource-Policy', 'same-origin')
  if (isHttps) c.header('Strict-Transport-Security', 'max-age=31536000')
  const { headers } = c.res
  if (!headers.has('Content-Security-Policy')) {
    c.header('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'")
  }
  if (!headers.has('Cache-Control')) c.header('Cache-Control', 'no-store')
}
