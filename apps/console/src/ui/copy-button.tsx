'use client'

import { useEffect, useState } from 'react'
import { Button } from './button.tsx'

/** Copies a text; says so to everybody, and turns back after two seconds. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [outcome, setOutcome] = useState<'copied' | 'failed' | null>(null)
  useEffect(() => {
    if (!outcome) return
    const timer = setTimeout(() => setOutcome(null), 2_000)
    return () => clearTimeout(timer)
  }, [outcome])

  async function copy() {
    try {
      await navigator.clipboard.writeText(text)
      setOutcome('copied')
    } catch {
      setOutcome('failed')
    }
  }

  return (
    <>
      <Button
        variant="quiet"
        icon={outcome === 'copied' ? 'check' : 'copy'}
        iconOnly
        title={label}
        onClick={copy}
      >
        {label}
      </Button>
      <span role="status" className="sr-only">
        {outcome === 'copied' && 'Copied.'}
        {outcome === 'failed' && 'The browser did not allow copying. Select the text instead.'}
      </span>
    </>
  )
}
