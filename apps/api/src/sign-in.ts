import { WorklyError } from '@workly/core'
import { authenticateApiKey, type ProjectContext } from '@workly/services'
import type { MiddlewareHandler } from 'hono'
import type { ApiContext, ApiDeps, ApiEnv } from './api-env.ts'
import { whyDoorIsShut } from './demo-door.ts'

/**
 * Whose call it is: the project of its API key, or the demo project by the door of the embedded default.
 * @throws WorklyError `unauthorized`
 */
export function signIn(deps: ApiDeps): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    const authorization = c.req.header('authorization')
    c.set('ctx', authorization === undefined ? throughDoor(c, deps) : await byKey(c, deps, authorization))
    await next()
  }
}

/** Whose call it is where no key is needed: nobody's without one, in no project and with no scope that counts. */
export function mayBeSignedIn(deps: ApiDeps): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    const authorization = c.req.header('authorization')
    c.set('ctx', authorization === undefined ? nobody(c, deps) : await byKey(c, deps, authorization))
    await next()
  }
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

function byKey(c: ApiContext, { services }: ApiDeps, authorization: string): Promise<ProjectContext> {
  const key = /^Bearer +([!-~]+) *$/i.exec(authorization)?.[1]
  if (key === undefined) {
    throw new WorklyError(
      'unauthorized',
      'The header Authorization must read: Bearer, a blank, and an API key.',
    )
  }
  return authenticateApiKey(services, key, c.get('requestId'))
}

function throughDoor(c: ApiContext, { services, demoDoor }: ApiDeps): ProjectContext {
  const ask = 'Send an API key in the header Authorization: Bearer <key>.'
  if (!demoDoor) throw new WorklyError('unauthorized', ask)
  const why = whyDoorIsShut({
    peer: c.env?.incoming?.socket.remoteAddress,
    url: new URL(c.req.url),
    headers: c.req.raw.headers,
  })
  if (why)
    throw new WorklyError(
      'unauthorized',
      `${ask} Without a key only calls from this machine are taken; ${why}.`,
    )
  return {
    services,
    ...demoDoor,
    actor: { kind: 'apiKey', id: 'demo_door', name: 'this machine, without a key', scope: 'write' },
    requestId: c.get('requestId'),
  }
}
