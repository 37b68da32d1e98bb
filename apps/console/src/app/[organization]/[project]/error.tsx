'use client'

import { Button } from '#ui/button.tsx'
import { Notice } from '#ui/notice.tsx'

interface ErrorProps {
  error: Error & { digest?: string }
  reset: () => void
}

export default function ProjectError({ error, reset }: ErrorProps) {
  return (
    <Notice tone="bad" title="This page could not be shown." alert>
      <p>
        Something went wrong on our side. Try again; if it stays so, tell us
        {error.digest ? ` this number: ${error.digest}` : ' what you were doing'}.
      </p>
      <div className="mt-2">
        <Button icon="retry" onClick={reset}>
          Try again
        </Button>
      </div>
    </Notice>
  )
}
