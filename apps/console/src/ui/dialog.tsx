'use client'

import { type ReactNode, useEffect, useId, useRef } from 'react'

interface DialogProps {
  open: boolean
  title: string
  onClose: () => void
  children: ReactNode
}

/**
 * A modal dialog on the platform's own <dialog>: it keeps the focus inside, closes on Escape and gives the focus back
 * to what opened it.
 */
export function Dialog({ open, title, onClose, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const titleId = useId()

  useEffect(() => {
    const dialog = ref.current
    if (!dialog || dialog.open === open) return
    if (open) dialog.showModal()
    else dialog.close()
  }, [open])

  return (
    <dialog
      ref={ref}
      aria-labelledby={titleId}
      onClose={onClose}
      closedby="any"
      className="m-auto w-[min(30rem,calc(100vw-2rem))] rounded-card border border-line bg-surface p-0 text-left whitespace-normal text-ink shadow-xl"
    >
      {open && (
        <div className="p-5">
          <h2 id={titleId} className="mb-2 text-base font-semibold">
            {title}
          </h2>
          {children}
        </div>
      )}
    </dialog>
  )
}
