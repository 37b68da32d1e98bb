'use client'

import { useEffect } from 'react'
import type { PublicError } from '#trpc/public-error.ts'
import { publicErrorOf } from '#trpc/query-client.ts'
import { Button } from './button.tsx'
import { Notice } from './notice.tsx'

interface QueryProblemProps {
  error: unknown
  onRetry: () => void
}

/** Stands in the place of what cannot be read. Where there is something on the screen, StaleNotice speaks instead. */
export function QueryProblem({ error, onRetry }: QueryProblemProps) {
  const known = publicErrorOf(error)
  useSignInAgain(known)
  return (
    <div className="p-3">
      <Notice tone="bad" title={known ? known.detail : 'The server cannot be reached.'} alert>
        <p>
          {!known && 'Check your connection; it is tried again by itself.'}
          {known?.code === 'internal' && `Request id: ${known.request_id}`}
        </p>
        <div className="mt-2">
          <Button onClick={onRetry} icon="retry">
            Try again
          </Button>
        </div>
      </Notice>
    </div>
  )
}

/** Whoever was signed out meanwhile is sent to sign in, and back to where they are. */
export function useSignInAgain(error: PublicError | null): void {
  const isSignedOut = error?.code === 'unauthorized'
  useEffect(() => {
    if (!isSignedOut) return
    const here = window.location.pathname + window.location.search
    window.location.assign(`/sign-in?callbackUrl=${encodeURIComponent(here)}`)
  }, [isSignedOut])
}
