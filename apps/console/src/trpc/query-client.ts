import { QueryClient } from '@tanstack/react-query'
import { TRPCClientError } from '@trpc/client'
import type { PublicError } from './public-error.ts'
import type { AppRouter } from './router.ts'

/** How often what is on the screen is asked for: a change shows within two seconds (spec section 11). */
export const LIVE_MS = 1_000

/** What the server said about a failed call; null when it was not reached. */
export function publicErrorOf(error: unknown): PublicError | null {
  if (!(error instanceof TRPCClientError)) return null
  return (error as TRPCClientError<AppRouter>).data?.workly ?? null
}

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      // Without a network a call fails and says so; by default it would wait, and a Run now be done who knows when.
      mutations: { networkMode: 'always' },
      queries: {
        networkMode: 'always',
        staleTime: LIVE_MS,
        // What the server has refused stays refused; a lost connection is tried again.
        retry: (failures, error) =>
          typeof window !== 'undefined' && publicErrorOf(error) === null && failures < 2,
      },
    },
  })
}
