'use client'

import { type QueryCache, useQueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { publicErrorOf } from '#trpc/query-client.ts'
import { Button } from '#ui/button.tsx'
import { Notice } from '#ui/notice.tsx'
import { useSignInAgain } from '#ui/query-problem.tsx'

/** The error of something that is on the screen and can be brought up to date no more. */
function staleError(cache: QueryCache): Error | null {
  const stale = cache.getAll().find(query => {
    return query.isActive() && query.state.status === 'error' && query.state.data !== undefined
  })
  return stale?.state.error ?? null
}

/** Says that what is on the screen may be out of date, without moving it. */
export function StaleNotice() {
  const queryClient = useQueryClient()
  const cache = queryClient.getQueryCache()
  const error = useSyncExternalStore(
    listener => cache.subscribe(listener),
    () => staleError(cache),
    () => null,
  )
  const known = publicErrorOf(error)
  useSignInAgain(known)
  return (
    <div
      role="status"
      aria-label="Connection"
      className="fixed inset-x-4 bottom-4 z-40 md:right-auto md:left-64"
    >
      {error && (
        <div className="max-w-md rounded-card border border-line bg-surface p-1.5 shadow-lg">
          <Notice tone="warn" title={known ? known.detail : 'The server cannot be reached.'}>
            <p>What you see may be out of date. {!known && 'It is tried again by itself.'}</p>
            <div className="mt-2">
              <Button icon="retry" onClick={() => queryClient.refetchQueries({ type: 'active' })}>
                Try again
              </Button>
            </div>
          </Notice>
        </div>
      )}
    </div>
  )
}
