'use client'

import { Blank } from '#features/shell/blank.tsx'
import { Button } from '#ui/button.tsx'

interface ErrorProps {
  error: Error & { digest?: string }
  reset: () => void
}

export default function RootError({ error, reset }: ErrorProps) {
  return (
    <Blank title="This page could not be shown">
      <p>
        Something went wrong on our side. Try again; if it stays so, tell us
        {error.digest ? ` this number: ${error.digest}` : ' what you were doing'}.
      </p>
      <Button icon="retry" onClick={reset}>
        Try again
      </Button>
    </Blank>
  )
}
