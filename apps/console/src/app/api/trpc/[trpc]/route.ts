import { fetchRequestHandler } from '@trpc/server/adapters/fetch'
import { signedInUserId } from '#auth.ts'
import { composition } from '#compose.ts'
import { publicUrl } from '#env.ts'
import { newRequestId } from '#request-id.ts'
import { appRouter } from '#trpc/router.ts'
import { foreignRequest } from '#trpc/same-origin.ts'

async function handle(request: Request): Promise<Response> {
  const url = publicUrl()
  const refusal = foreignRequest(request.method, request.headers, url ? new URL(url).host : null)
  if (refusal) return Response.json({ error: { message: refusal } }, { status: 403 })
  const response = await fetchRequestHandler({
    endpoint: '/api/trpc',
    req: request,
    router: appRouter,
    createContext: async () => ({
      services: composition().services,
      userId: await signedInUserId(),
      requestId: newRequestId(),
    }),
  })
  response.headers.set('Cache-Control', 'no-store')
  return response
}

export { handle as GET, handle as POST }
