'use client'

import { type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import type { IconName } from './icon.tsx'
import { Notice } from './notice.tsx'

interface ConfirmProps {
  /** What the button says, and the button that does it. */
  label: string
  /** The label with what it is about, where the button stands in a row. */
  name?: string
  icon?: IconName
  title: string
  /** What follows from it. */
  children: ReactNode
  reason?: string | undefined
  busy: boolean
  /** What went wrong, in words. */
  problem: string | null
  /** Does it; the dialog closes when it is done. @throws where it failed, told by `problem` */
  onConfirm: () => Promise<unknown>
}

/** A button whose act is asked for once more, since nothing undoes it. */
export function Confirm(props: ConfirmProps) {
  const { label, name = label, icon, title, children, reason, busy, problem, onConfirm } = props
  const [isOpen, setOpen] = useState(false)
  async function confirm() {
    try {
      await onConfirm()
      setOpen(false)
    } catch {
      // The dialog stays, and tells why.
    }
  }
  return (
    <>
      <Button {...(icon && { icon })} reason={reason} aria-label={name} onClick={() => setOpen(true)}>
        {label}
      </Button>
      <Dialog open={isOpen} title={title} onClose={() => setOpen(false)}>
        <div className="grid gap-4">
          <div className="text-muted">{children}</div>
          {problem && (
            <Notice tone="bad" alert>
              {problem}
            </Notice>
          )}
          <div className="flex justify-end gap-2">
            <Button onClick={() => setOpen(false)}>Keep it</Button>
            <Button variant="danger" busy={busy} onClick={confirm}>
              {label}
            </Button>
          </div>
        </div>
      </Dialog>
    </>
  )
}
