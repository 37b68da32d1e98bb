import { WorklyError } from '@workly/core'
import { authorize, type KeptReply } from '@workly/services'
import { Hono, type MiddlewareHandler } from 'hono'
import { Addresses } from './addresses.ts'
import { answerOnce, keptReply } from './answer-once.ts'
import { type ApiContext, type ApiDeps, type ApiEnv, REQUEST_LIMITS } from './api-env.ts'
import { jsonStream } from './json-stream.ts'
import { loggedCause } from './log-cause.ts'
import { isKeyed, isPaced, type Operation, type PartedReply, type RawCall } from './operation.ts'
import { ownOrganization } from './own-organization.ts'
import { pace } from './pace.ts'
import { asWorklyError, problemHeaders, problemOf } from './problem.ts'
import { RateLimiter } from './rate-limit.ts'
import { readJson } from './read-json.ts'
import { readBody } from './request-body.ts'
import { recordRequests } from './request-record.ts'
import { health } from './routes/health.ts'
import { operatorMetrics, projectMetrics } from './routes/metrics.ts'
import { OPERATIONS } from './routes/operations.ts'
import { reference } from './routes/reference.ts'
import { SCHEDULER_BASE } from './routes/scheduler/kinds.ts'
import { type FrontDoor, frontDoor } from './sign-in.ts'
import { Strangers } from './strangers.ts'

export type { ApiDeps, ApiEnv, RequestLimits } from './api-env.ts'
export { REQUEST_LIMITS } from './api-env.ts'
export type { DemoDoor } from './demo-door.ts'
export { createListener } from './listener.ts'
export { type Rescuing, startRescuing } from './rescuing.ts'
export { createTestCaller, type TestCaller } from './test-caller.ts'

/**
 * The REST API (spec section 8): `/v1`, `/scheduler` (section 9), `/healthz`, `/readyz` and `/docs`. It answers every other address with 404, so
 * whoever puts it beside other handlers asks {@link isApiPath} first.
 */
export function createApi(deps: ApiDeps): Hono<ApiEnv> {
  const { publicUrl, logger } = deps
  const limits = { ...REQUEST_LIMITS, ...deps.limits }
  const nowMs = deps.nowMs ?? (() => performance.now())
  const limiter = new RateLimiter(limits.rate, nowMs)
  const door = frontDoor(deps, new Strangers(new RateLimiter(limits.unauthorized, nowMs), nowMs))
  const addresses = new Addresses()
  const app = new Hono<ApiEnv>()

  app.use(recordRequests(logger, publicUrl.startsWith('https:')))
  for (const page of [...health(deps), ...reference(deps)]) {
    addresses.add('get', page.path)
    app.get(page.path, page.answer)
  }
  const guards = [door.signIn, pace(limiter)] as const
  addresses.add('get', '/metrics')
  app.get('/metrics', operatorMetrics(deps, door.turnAway))
  addresses.add('get', '/v1/metrics')
  app.get('/v1/metrics', ...guards, projectMetrics)
  for (const op of OPERATIONS) {
    addresses.add(op.method, op.path)
    const path = op.path.replaceAll(/\{(\w+)\}/g, ':$1')
    app.on(op.method.toUpperCase(), path, named(op), ...guardsOf(op, door, limiter), c =>
      answer(c, op, deps, limits.bytes),
    )
  }
  app.options('*', c => {
    const methods = addresses.methodsOf(c.req.path)
    return methods.length > 0 ? c.body(null, 204, { Allow: methods.join(', ') }) : c.notFound()
  })
  app.notFound(c => refuse(c, noSuchAddress(c, addresses), publicUrl))
  app.onError((thrown, c) => {
    const error = asWorklyError(thrown)
    if (error.status >= 500) {
      logger.error(
        { request_id: c.get('requestId'), err: loggedCause(error.cause ?? error) },
        'request failed',
      )
    }
    return refuse(c, error, publicUrl)
  })
  return app
}

/** Whether an address is the API's, for a server that has other handlers too. */
export function isApiPath(path: string): boolean {
  return /^\/(?:v1|docs|scheduler)(?:\/|$)|^\/(?:healthz|readyz|metrics)$/.test(path)
}

/** Who calls, how often, and whether the address is the caller's. Callbacks do not count against the rate (spec section 8). */
function guardsOf(op: Operation, door: FrontDoor, limiter: RateLimiter): MiddlewareHandler<ApiEnv>[] {
  const paced = isPaced(op) ? [pace(limiter)] : []
  const ofOrganization = op.path.startsWith(SCHEDULER_BASE) ? [ownOrganization] : []
  return [op.open ? door.mayReport : door.signIn, ...paced, ...ofOrganization]
}

function named(op: Operation) {
  return async (c: ApiContext, next: () => Promise<void>) => {
    c.set('route', op.path)
    await next()
  }
}

async function answer(c: ApiContext, op: Operation, deps: ApiDeps, maxBytes: number): Promise<Response> {
  const params = c.req.param() as Record<string, string>
  const call: RawCall = {
    ctx: c.get('ctx'),
    path: c.req.path,
    params,
    param: name => params[name] ?? '',
    header: name => c.req.header(name),
    makeCall: deps.makeCall,
    search: new URL(c.req.url).searchParams,
    async json() {
      const bytes = await readBody(c.req.raw, maxBytes)
      return bytes.byteLength === 0 ? undefined : readJson(bytes)
    },
  }
  // The verb asks again; here, so that nobody below the scope is given an answer that was kept for another.
  if (!op.open) authorize(call.ctx, op.scope)
  const key = c.req.header('Idempotency-Key')
  const answered =
    key !== undefined && isKeyed(op)
      ? await answerOnce(op, call, key, await readBody(c.req.raw, maxBytes), error =>
          problemReply(c, error, deps.publicUrl),
        )
      : await replyOf(op, call)
  if ('parts' in answered) {
    const failed = (error: unknown) =>
      deps.logger.error({ request_id: c.get('requestId'), err: loggedCause(error) }, 'answer broken off')
    return c.body(jsonStream(answered.parts, failed), 200, { 'Content-Type': 'application/json' })
  }
  if (answered.status < 300 && op.settles && !(await op.settles(call.ctx, call.param, deps.goneWithinMs)))
    answered.status = 202
  if (answered.body === null) return c.body(null, answered.status as 204, answered.headers)
  return c.body(answered.body, answered.status as 200, answered.headers)
}

async function replyOf(op: Operation, call: RawCall): Promise<KeptReply | PartedReply> {
  const reply = await op.answer(call)
  return 'parts' in reply ? reply : keptReply(reply)
}

/** The answer to an error of the caller's, to be kept with its key; null for one of ours and for 429. */
function problemReply(c: ApiContext, thrown: unknown, publicUrl: string): KeptReply | null {
  const error = asWorklyError(thrown)
  if (error.status >= 500 || error.status === 429) return null
  const body = JSON.stringify(problemOf(error, c.get('requestId'), publicUrl))
  return { status: error.status, headers: problemHeaders(error), body }
}

function noSuchAddress(c: ApiContext, addresses: Addresses): WorklyError {
  const { path, method } = c.req
  const methods = addresses.methodsOf(path)
  if (methods.length > 0) {
    c.header('Allow', methods.join(', '))
    return new WorklyError(
      'method_not_allowed',
      `${method} is not for this address; it takes ${methods.join(', ')}.`,
    )
  }
  const shorter = path.replace(/\/+$/, '')
  const hint =
    shorter !== path && addresses.methodsOf(shorter).length > 0 ? ' Leave out the slash at its end.' : ''
  return new WorklyError(
    'not_found',
    `There is nothing at this address.${hint} The calls are listed in /docs.`,
  )
}

function refuse(c: ApiContext, error: WorklyError, publicUrl: string): Response {
  for (const [name, value] of Object.entries(problemHeaders(error))) c.header(name, value)
  const status = error.status as 400
  return c.body(JSON.stringify(problemOf(error, c.get('requestId'), publicUrl)), status)
}
