'use client'

import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Code } from './code.tsx'
import { Notice } from './notice.tsx'

interface ShownOnceProps {
  /** What it is: "API key". */
  what: string
  text: string
  /** What to do with it. */
  children: ReactNode
  onDone: () => void
}

/** Something secret that is shown now and never again. */
export function ShownOnce({ what, text, children, onDone }: ShownOnceProps) {
  return (
    <div className="grid gap-4">
      <Notice tone="warn" title="It is shown this once. Copy it now." />
      <Code label={what} text={text} wrap />
      <div className="text-muted">{children}</div>
      <div className="flex justify-end">
        <Button variant="primary" onClick={onDone}>
          I have stored it
        </Button>
      </div>
    </div>
  )
}
