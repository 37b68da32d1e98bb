import type { HttpBindings } from '@hono/node-server'
import type { MakeCall, ProjectContext, Services, TrustedProxies } from '@workly/services'
import type { Context } from 'hono'
import type { Logger } from 'pino'
import type { DemoDoor } from './demo-door.ts'
import type { RequestRate } from './rate-limit.ts'

/** Limits on requests, an operator's to set (spec section 8). */
export interface RequestLimits {
  /** Bytes of a request's body. */
  bytes: number
  /** Per API key, in each process. */
  rate: RequestRate
  /** Calls without a valid key, or with a wrong token of a callback: per address they come from, in each process. */
  unauthorized: RequestRate
}

export const REQUEST_LIMITS: RequestLimits = {
  bytes: 2 * 1024 * 1024,
  rate: { perSecond: 100, burst: 200 },
  unauthorized: { perSecond: 5, burst: 100 },
}

/** What the API stands on. */
export interface ApiDeps {
  services: Services
  /** Workly's version, shown in the reference. */
  version: string
  /** `WORKLY_PUBLIC_URL`: where people reach this server; no slash at its end. */
  publicUrl: string
  logger: Logger
  /** Makes the calls of `POST /v1/jobs/test`, through the network guard. */
  makeCall: MakeCall
  /** `WORKLY_OPERATOR_TOKEN`, which opens `/metrics`; absent: there are none. */
  operatorToken?: string
  /** Where calls without a key act; absent everywhere but in the embedded default. */
  demoDoor?: DemoDoor
  /** Each that is absent is that of {@link REQUEST_LIMITS}. */
  limits?: Partial<RequestLimits>
  /** Whose `X-Forwarded-For` is believed. Default: this machine and private networks. */
  isTrusted?: TrustedProxies
  /** How long a cancel waits for its container to go, in milliseconds. Default a minute (spec section 5). */
  goneWithinMs?: number
  /** A clock in milliseconds that never goes back, for the rate limits. Default `performance.now`. */
  nowMs?: () => number
}

/** Hono's types for our variables and for what node-server hands over; absent where no socket is behind a request. */
export interface ApiEnv {
  Variables: { requestId: string; route: string; ctx: ProjectContext }
  Bindings: Partial<HttpBindings>
}

export type ApiContext = Context<ApiEnv>
