import { WorklyError } from '@workly/core'
import { authenticateApiKey, isMadeHere, type ProjectContext, readTrustedProxies } from '@workly/services'
import type { MiddlewareHandler } from 'hono'
import type { ApiContext, ApiDeps, ApiEnv } from './api-env.ts'
import { callerAddress } from './caller-address.ts'
import { whyDoorIsShut } from './demo-door.ts'
import type { Strangers } from './strangers.ts'

/** Who is let in; each address that others knock from is held to a rate. */
export interface FrontDoor {
  /**
   * Whose call it is: the project of its API key, or the demo project by the door of the embedded default.
   * @throws WorklyError `unauthorized`, `rate_limited`
   */
  signIn: MiddlewareHandler<ApiEnv>
  /**
   * Whose report it is: nobody's with the token of its attempt, in no project and with no scope that counts; it is let in
   * whatever else it brings, since a report that is lost is a lost result. Else its API key's.
   * @throws WorklyError `unauthorized`, `rate_limited`
   */
  mayReport: MiddlewareHandler<ApiEnv>
  /** @throws WorklyError `unauthorized` with that text, `rate_limited` once its address has heard it too often */
  turnAway(c: ApiContext, why: string): never
}

export function frontDoor(deps: ApiDeps, strangers: Strangers): FrontDoor {
  const { services } = deps
  const isTrusted = deps.isTrusted ?? readTrustedProxies(undefined)
  const turnAway = (c: ApiContext, why: string): never => {
    strangers.count(callerAddress(c, isTrusted))
    throw new WorklyError('unauthorized', why)
  }
  const byKey = (c: ApiContext, authorization: string): Promise<ProjectContext> => {
    const key = bearerOf(authorization)
    if (key === undefined) {
      return turnAway(c, 'The header Authorization must read: Bearer, a blank, and an API key.')
    }
    const check = () => authenticateApiKey(services, key, c.get('requestId'))
    return strangers.checked(key, callerAddress(c, isTrusted), check)
  }
  return {
    turnAway,
    async signIn(c, next) {
      const authorization = c.req.header('authorization')
      if (authorization !== undefined) c.set('ctx', await byKey(c, authorization))
      else c.set('ctx', throughDoor(c, deps, turnAway))
      await next()
    },
    async mayReport(c, next) {
      const { attempt = '', token = '' } = c.req.param() as Record<string, string>
      const isRight = isMadeHere(services.encryption, attempt, token)
      const authorization = c.req.header('authorization')
      if (!isRight && authorization !== undefined) c.set('ctx', await byKey(c, authorization))
      else {
        if (!isRight) strangers.count(callerAddress(c, isTrusted))
        c.set('ctx', nobody(c, deps))
      }
      await next()
    },
  }
}

function bearerOf(authorization: string): string | undefined {
  return /^Bearer +([!-~]+) *$/i.exec(authorization)?.[1]
}

function nobody(c: ApiContext, { services }: ApiDeps): ProjectContext {
  return {
    services,
    organizationId: '',
    projectId: '',
    actor: { kind: 'apiKey', id: '', name: 'nobody', scope: 'read' },
    requestId: c.get('requestId'),
  }
}

function throughDoor(
  c: ApiContext,
  { services, demoDoor }: ApiDeps,
  turnAway: FrontDoor['turnAway'],
): ProjectContext {
  const ask = 'Send an API key in the header Authorization: Bearer <key>.'
  if (!demoDoor) return turnAway(c, ask)
  const why = whyDoorIsShut({
    peer: c.env?.incoming?.socket.remoteAddress,
    url: new URL(c.req.url),
    headers: c.req.raw.headers,
  })
  if (why) return turnAway(c, `${ask} Without a key only calls from this machine are taken; ${why}.`)
  return {
    services,
    ...demoDoor,
    actor: { kind: 'apiKey', id: 'demo_door', name: 'this machine, without a key', scope: 'write' },
    requestId: c.get('requestId'),
  }
}
