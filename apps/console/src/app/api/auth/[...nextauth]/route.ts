import type { NextRequest } from 'next/server'
import NextAuth from 'next-auth'
import { authOptions } from '#auth.ts'
import { publicUrl } from '#env.ts'
import { isSignInCall } from '#features/session/sign-in-calls.ts'
import { log } from '#log.ts'
import { foreignSender } from '#trpc/same-origin.ts'

interface RouteContext {
  params: Promise<{ nextauth: string[] }>
}

function refuse(status: number, message: string): Response {
  return Response.json({ error: { message } }, { status, headers: { 'Cache-Control': 'no-store' } })
}

/** The options are read at the first request: a build has no secrets. */
async function handle(request: NextRequest, context: RouteContext): Promise<Response> {
  const { nextauth } = await context.params
  if (!isSignInCall(request.method, nextauth)) return refuse(404, 'The console does not know this call.')
  const url = publicUrl()
  const foreign =
    request.method === 'POST' && foreignSender('POST', request.headers, url ? new URL(url).host : null)
  if (foreign) return refuse(403, foreign)
  try {
    return await NextAuth(request, context, authOptions())
  } catch (err) {
    if (err instanceof SyntaxError) return refuse(400, 'The call cannot be read.')
    log().error({ err }, 'sign-in failed')
    return refuse(500, 'Something went wrong on our side. Try again.')
  }
}

export { handle as GET, handle as POST }
