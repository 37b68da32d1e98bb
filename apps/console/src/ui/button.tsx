'use client'

import Link from 'next/link'
import { type ButtonHTMLAttributes, type ReactNode, useId } from 'react'
import { Icon, type IconName } from './icon.tsx'

type Variant = 'primary' | 'secondary' | 'quiet' | 'danger'

const BASE =
  'control inline-flex items-center justify-center gap-1.5 whitespace-nowrap rounded-control px-3 text-[13px] font-medium transition-colors'
const VARIANTS: Record<Variant, string> = {
  primary: 'bg-accent text-on-accent hover:bg-accent/90',
  secondary: 'border border-line bg-surface text-ink shadow-xs hover:bg-sunken',
  quiet: 'text-muted hover:bg-sunken hover:text-ink',
  danger: 'bg-bad text-on-bad hover:bg-bad/90',
}
const OFF = 'cursor-not-allowed opacity-55'

interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'disabled'> {
  variant?: Variant
  icon?: IconName
  /** At work: it keeps its size and focus, and takes no second click. */
  busy?: boolean
  /** Why it cannot be used now. It stays reachable by keyboard, so that the reason can be read. */
  reason?: string | undefined
  /** Shows the icon only; the label is for screen readers and the tooltip. */
  iconOnly?: boolean
  /** As wide as what it stands in. */
  wide?: boolean
  children: ReactNode
}

export function Button({
  variant = 'secondary',
  icon,
  busy = false,
  reason,
  iconOnly = false,
  wide = false,
  className = '',
  children,
  onClick,
  ...rest
}: ButtonProps) {
  const reasonId = useId()
  const off = busy || reason !== undefined
  return (
    <span className={`group/reason relative ${wide ? 'flex' : 'inline-flex'}`}>
      <button
        type="button"
        {...rest}
        aria-disabled={off || undefined}
        aria-describedby={reason ? reasonId : rest['aria-describedby']}
        onClick={event => {
          if (off) event.preventDefault()
          else onClick?.(event)
        }}
        className={`${BASE} ${VARIANTS[variant]} ${off ? OFF : ''} ${iconOnly ? 'w-8 px-0 pointer-coarse:w-10' : ''} ${wide ? 'flex-1' : ''} ${className}`}
      >
        {busy ? <Icon name="turning" className="size-4 turning" /> : icon && <Icon name={icon} />}
        <span className={iconOnly ? 'sr-only' : ''}>{children}</span>
      </button>
      {reason && (
        <span
          id={reasonId}
          role="tooltip"
          className="pointer-events-none invisible absolute top-full right-0 z-20 mt-1 w-max max-w-60 rounded-control bg-ink px-2 py-1 text-left text-xs text-canvas whitespace-normal opacity-0 transition-opacity group-focus-within/reason:visible group-focus-within/reason:opacity-100 group-hover/reason:visible group-hover/reason:opacity-100"
        >
          {reason}
        </span>
      )}
    </span>
  )
}

interface LinkButtonProps {
  href: string
  variant?: Variant
  icon?: IconName
  className?: string
  children: ReactNode
}

export function LinkButton({ href, variant = 'secondary', icon, className = '', children }: LinkButtonProps) {
  return (
    <Link href={href} className={`${BASE} ${VARIANTS[variant]} ${className}`}>
      {icon && <Icon name={icon} />}
      {children}
    </Link>
  )
}
