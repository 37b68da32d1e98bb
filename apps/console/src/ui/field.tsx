import type { ComponentProps, ReactNode } from 'react'
import { Icon } from './icon.tsx'

export const CONTROL =
  'control w-full rounded-control border border-edge bg-surface px-2.5 py-1 text-ink placeholder:text-muted aria-invalid:border-bad'

interface FieldProps {
  /** Also the id of the control inside. */
  id: string
  label: string
  hint?: ReactNode
  error?: string | undefined
  children: ReactNode
}

/** Ids of a field's hint and error, for the control's `aria-describedby`. */
export function describedBy(id: string, error?: string | undefined, hint = true): string | undefined {
  return [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ') || undefined
}

export function Field({ id, label, hint, error, children }: FieldProps) {
  return (
    <div className="grid min-w-0 content-start gap-1">
      <label htmlFor={id} className="text-[13px] font-medium">
        {label}
      </label>
      {children}
      {hint && (
        <div id={`${id}-hint`} className="text-[13px] text-muted">
          {hint}
        </div>
      )}
      {error && (
        <p id={`${id}-error`} className="flex gap-1.5 text-[13px] text-bad">
          <Icon name="warning" className="mt-0.5 size-4" />
          <span className="block first-letter:uppercase">{error}</span>
        </p>
      )}
    </div>
  )
}

export function TextInput({ className = '', ...rest }: ComponentProps<'input'>) {
  return <input {...rest} className={`${CONTROL} ${className}`} />
}

export function TextArea({ className = '', ...rest }: ComponentProps<'textarea'>) {
  return <textarea {...rest} className={`${CONTROL} py-1.5 font-mono text-[13px] ${className}`} />
}

export function Select({ className = '', children, ...rest }: ComponentProps<'select'>) {
  return (
    <span className={`relative inline-flex ${className}`}>
      <select {...rest} className={`${CONTROL} appearance-none pr-8`}>
        {children}
      </select>
      <Icon
        name="chevron"
        className="pointer-events-none absolute top-1/2 right-2.5 size-3.5 -translate-y-1/2 text-muted"
      />
    </span>
  )
}
