import type { ReactNode } from 'react'

interface TableProps {
  /** What the table is a table of, for screen readers. */
  caption: string
  head: ReactNode
  /** Rows are being replaced: what stands there is of the filter before. */
  stale?: boolean
  children: ReactNode
}

/** A table that fills its card; columns that a phone has no room for carry `max-sm:hidden` and the like. */
export function Table({ caption, head, stale = false, children }: TableProps) {
  return (
    <table
      className={`w-full text-left transition-opacity ${stale ? 'opacity-60' : ''}`}
      aria-busy={stale || undefined}
    >
      <caption className="sr-only">{caption}</caption>
      <thead>
        <tr className="border-b border-line text-xs text-muted">{head}</tr>
      </thead>
      <tbody className="divide-y divide-line">{children}</tbody>
    </table>
  )
}

interface HeadProps {
  className?: string
  children: ReactNode
}

export function Head({ className = '', children }: HeadProps) {
  return (
    <th scope="col" className={`h-9 px-3 font-medium whitespace-nowrap first:pl-4 last:pr-4 ${className}`}>
      {children}
    </th>
  )
}

export function Cell({ className = '', children }: HeadProps) {
  return <td className={`px-3 py-2 align-middle first:pl-4 last:pr-4 ${className}`}>{children}</td>
}
