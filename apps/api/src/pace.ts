import { WorklyError } from '@workly/core'
import type { MiddlewareHandler } from 'hono'
import type { ApiEnv } from './api-env.ts'
import { type RateLimiter, rateLimitHeaders } from './rate-limit.ts'

/**
 * Holds each key to its rate; calls through the door of the embedded default share one.
 * @throws WorklyError `rate_limited`
 */
export function pace(limiter: RateLimiter): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    const { actor, projectId } = c.get('ctx')
    const allowance = limiter.take(actor.kind === 'apiKey' ? actor.id : projectId)
    for (const [name, value] of Object.entries(rateLimitHeaders(limiter.rate, allowance)))
      c.header(name, value)
    if (!allowance.allowed) {
      const { perSecond, burst } = limiter.rate
      throw new WorklyError(
        'rate_limited',
        `An API key may make ${perSecond} requests a second, ${burst} at once after a rest.`,
        { retryAfterSeconds: allowance.retryAfterSeconds },
      )
    }
    await next()
  }
}
