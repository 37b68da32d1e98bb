import { createHash, timingSafeEqual } from 'node:crypto'
import { WorklyError } from '@workly/core'
import { METRICS_CONTENT_TYPE, renderOperatorMetrics, renderProjectMetrics } from '@workly/services'
import type { ApiContext, ApiDeps } from '../api-env.ts'
import type { FrontDoor } from '../sign-in.ts'

/** `/v1/metrics`: what Prometheus asks with the API key of a project (spec section 13). */
export async function projectMetrics(c: ApiContext): Promise<Response> {
  return send(c, await renderProjectMetrics(c.get('ctx')))
}

/** `/metrics`: aggregates over all tenants, for whoever has the operator's token. */
export function operatorMetrics(
  { services, operatorToken }: ApiDeps,
  turnAway: FrontDoor['turnAway'],
): (c: ApiContext) => Promise<Response> {
  return async c => {
    c.set('route', '/metrics')
    if (operatorToken === undefined) {
      throw new WorklyError(
        'not_found',
        'Set WORKLY_OPERATOR_TOKEN to have metrics here; those of a project are at /v1/metrics.',
      )
    }
    const given = /^Bearer +([!-~]+) *$/i.exec(c.req.header('authorization') ?? '')?.[1]
    if (given === undefined || !sameText(given, operatorToken)) {
      turnAway(c, "Send the operator's token in the header Authorization: Bearer <token>.")
    }
    return send(c, await renderOperatorMetrics(services))
  }
}

/** In a time that says nothing of where they differ, nor of their lengths. */
function sameText(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(a), digest(b))
}

function send(c: ApiContext, text: string): Response {
  return c.body(text, 200, { 'Content-Type': METRICS_CONTENT_TYPE, 'Cache-Control': 'no-store' })
}
