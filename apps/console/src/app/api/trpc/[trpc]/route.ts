import { fetchRequestHandler } from '@trpc/server/adapters/fetch'
import { signedInSession } from '#auth.ts'
import { composition } from '#compose.ts'
import { publicUrl } from '#env.ts'
import { newRequestId } from '#request-id.ts'
import { appRouter } from '#trpc/router.ts'
import { foreignRequest } from '#trpc/same-origin.ts'

/** More calls than any page makes at once. */
const MOST_CALLS = 20

async function handle(request: Request): Promise<Response> {
  const url = publicUrl()
  const refusal = foreignRequest(request.method, request.headers, url ? new URL(url).host : null)
  if (refusal) return Response.json({ error: { message: refusal } }, { status: 403 })
  const { services, makeCall } = composition()
  const session = await signedInSession()
  const response = await fetchRequestHandler({
    endpoint: '/api/trpc',
    req: request,
    router: appRouter,
    maxBatchSize: MOST_CALLS,
    createContext: async () => ({ services, makeCall, session, requestId: newRequestId() }),
  })
  response.headers.set('Cache-Control', 'no-store')
  return response
}

export { handle as GET, handle as POST }
