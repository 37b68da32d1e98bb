'use client'

import { usePathname } from 'next/navigation'
import { type ReactNode, type ToggleEvent, useEffect, useId, useRef } from 'react'

interface MenuProps {
  /** What the button shows; its text is its accessible name. */
  button: ReactNode
  buttonClassName?: string
  /** Where the sheet opens, seen from the button. */
  align?: 'start' | 'end'
  /** `auto`: above where there is no room below. */
  side?: 'below' | 'auto'
  children: ReactNode
}

/**
 * A button that opens a small sheet of links and controls. It is the platform's own popover: closes on Escape and on a
 * click beside it, and gives the focus back.
 */
export function Menu({ button, buttonClassName, align = 'start', side = 'below', children }: MenuProps) {
  const id = useId()
  const buttonRef = useRef<HTMLButtonElement>(null)
  const sheetRef = useRef<HTMLDivElement>(null)

  // A choice leads to another page; the sheet does not stay open over it.
  const path = usePathname()
  useEffect(() => {
    if (path !== null) sheetRef.current?.hidePopover()
  }, [path])

  function place(event: ToggleEvent<HTMLDivElement>) {
    const sheet = sheetRef.current
    const at = buttonRef.current?.getBoundingClientRect()
    if (event.newState !== 'open' || !sheet || !at) return
    const left = align === 'start' ? at.left : at.right - sheet.offsetWidth
    const hasRoom = at.bottom + 4 + sheet.offsetHeight <= window.innerHeight
    const top = side === 'below' || hasRoom ? at.bottom + 4 : at.top - sheet.offsetHeight - 4
    sheet.style.left = `${Math.max(8, Math.min(left, window.innerWidth - sheet.offsetWidth - 8))}px`
    sheet.style.top = `${Math.max(8, Math.min(top, window.innerHeight - sheet.offsetHeight - 8))}px`
  }

  return (
    <>
      <button ref={buttonRef} type="button" popoverTarget={id} className={buttonClassName}>
        {button}
      </button>
      <div
        ref={sheetRef}
        id={id}
        popover="auto"
        onToggle={place}
        className="fixed inset-auto m-0 max-h-[70vh] min-w-56 max-w-[calc(100vw-1rem)] overflow-auto rounded-card border border-line bg-surface p-1.5 text-ink shadow-xl"
      >
        {children}
      </div>
    </>
  )
}
