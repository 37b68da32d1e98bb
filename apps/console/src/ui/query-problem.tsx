'use client'

import { useEffect } from 'react'
import { publicErrorOf } from '#trpc/query-client.ts'
import { Button } from './button.tsx'
import { Notice } from './notice.tsx'

interface QueryProblemProps {
  error: unknown
  onRetry: () => void
  /** There is still something on the screen: it says since when it is old, instead of standing in its place. */
  hasData: boolean
}

/** What to say when a list or a page cannot be read. */
export function QueryProblem({ error, onRetry, hasData }: QueryProblemProps) {
  const known = publicErrorOf(error)
  const isSignedOut = known?.code === 'unauthorized'
  useEffect(() => {
    if (!isSignedOut) return
    const here = window.location.pathname + window.location.search
    window.location.assign(`/sign-in?callbackUrl=${encodeURIComponent(here)}`)
  }, [isSignedOut])
  const title = known ? known.detail : 'The server cannot be reached.'
  return (
    <div className="p-3">
      <Notice tone={hasData ? 'warn' : 'bad'} title={title} alert>
        <p>
          {hasData && 'What you see may be out of date. '}
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
