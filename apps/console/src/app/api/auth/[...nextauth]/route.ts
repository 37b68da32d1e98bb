import type { NextRequest } from 'next/server'
import NextAuth from 'next-auth'
import { authOptions } from '#auth.ts'
import { publicUrl } from '#env.ts'
import { CALLBACK_COOKIES, isCallbackUrl, isSignInCall } from '#features/session/sign-in-calls.ts'
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
  const odd = CALLBACK_COOKIES.find(name => !isCallbackUrl(request.cookies.get(name)?.value ?? ''))
  if (odd || !request.nextUrl.searchParams.getAll('callbackUrl').every(isCallbackUrl)) {
    const refusal = refuse(400, 'The place to go back to is no address.')
    // Else the browser would bring it with every call, and never sign in again.
    if (odd)
      refusal.headers.append(
        'Set-Cookie',
        `${odd}=; Path=/; Max-Age=0${odd.startsWith('__') ? '; Secure' : ''}`,
      )
    return refusal
  }
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
