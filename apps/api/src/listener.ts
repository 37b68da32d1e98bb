import type { IncomingMessage, ServerResponse } from 'node:http'
import { getRequestListener, RequestError } from '@hono/node-server'
import { WorklyError } from '@workly/core'
import type { Hono } from 'hono'
import type { ApiEnv } from './api-env.ts'
import { asWorklyError, problemHeaders, problemOf } from './problem.ts'
import { newRequestId } from './request-record.ts'

/** Settings of {@link createListener}. */
export interface ListenerOptions {
  publicUrl: string
  /**
   * Let node-server put its own, faster `Request` and `Response` in place of the process's. Only for a process that
   * serves nothing but the API: other frameworks expect the originals.
   */
  replaceGlobals: boolean
}

/** The API as a listener of Node's `http` server; a request that cannot even be read as one is a problem document too. */
export function createListener(
  app: Hono<ApiEnv>,
  { publicUrl, replaceGlobals }: ListenerOptions,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  return getRequestListener(app.fetch, {
    overrideGlobalObjects: replaceGlobals,
    errorHandler(thrown) {
      const error =
        thrown instanceof RequestError
          ? new WorklyError('invalid_request', 'The Host or the address of the request is malformed.')
          : asWorklyError(thrown)
      const requestId = newRequestId()
      return new Response(JSON.stringify(problemOf(error, requestId, publicUrl)), {
        status: error.status,
        headers: { ...problemHeaders(error), 'X-Request-Id': requestId },
      })
    },
  })
}
