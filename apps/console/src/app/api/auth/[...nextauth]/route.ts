import type { NextRequest } from 'next/server'
import NextAuth from 'next-auth'
import { authOptions } from '#auth.ts'

interface RouteContext {
  params: Promise<{ nextauth: string[] }>
}

/** The options are read at the first request: a build has no secrets. */
function handle(request: NextRequest, context: RouteContext): Promise<Response> {
  return NextAuth(request, context, authOptions())
}

export { handle as GET, handle as POST }
