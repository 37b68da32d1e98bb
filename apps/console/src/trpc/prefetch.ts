import { TRPCError } from '@trpc/server'
import { createTRPCOptionsProxy } from '@trpc/tanstack-react-query'
import { notFound } from 'next/navigation'
import { cache } from 'react'
import { signedInSession } from '../auth.ts'
import { composition } from '../compose.ts'
import { newRequestId } from '../request-id.ts'
import { createQueryClient } from './query-client.ts'
import { appRouter } from './router.ts'

/** The procedures as a page calls them while it is rendered, and the store that carries the answers to the browser. */
export const pageCalls = cache(async () => {
  const queryClient = createQueryClient()
  const { services, makeCall } = composition()
  const ctx = {
    services,
    makeCall,
    session: await signedInSession(),
    requestId: newRequestId(),
  }
  return { queryClient, trpc: createTRPCOptionsProxy({ router: appRouter, ctx, queryClient }) }
})

/** The title of a page about a thing: its own, also where the thing does not exist and the page says so. */
export async function titleOf(answer: Promise<string>): Promise<{ title: string }> {
  try {
    return { title: await answer }
  } catch (error) {
    if (error instanceof TRPCError && error.code === 'NOT_FOUND') return { title: 'Not found' }
    throw error
  }
}

/** What a page is about: where it does not exist, neither does the page. */
export async function orNotFound<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof TRPCError && error.code === 'NOT_FOUND') notFound()
    throw error
  }
}
