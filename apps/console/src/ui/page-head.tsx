import Link from 'next/link'
import type { ReactNode } from 'react'
import { Icon } from './icon.tsx'

interface PageHeadProps {
  title: ReactNode
  /** Where the page hangs below. */
  parent?: { name: string; href: string }
  /** Beside the title. */
  mark?: ReactNode
  /** Below the title. */
  about?: ReactNode
  /** The page's actions. */
  children?: ReactNode
}

export function PageHead({ title, parent, mark, about, children }: PageHeadProps) {
  return (
    <div className="mb-5 grid gap-1">
      {parent && (
        <Link
          href={parent.href}
          className="-ml-1 inline-flex min-h-6 w-fit items-center gap-1 rounded pr-2 text-[13px] text-muted hover:text-ink"
        >
          <Icon name="back" />
          {parent.name}
        </Link>
      )}
      <div className="flex min-h-10 flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
          <h1 className="min-w-0 text-xl font-semibold tracking-tight [overflow-wrap:anywhere]">{title}</h1>
          {mark}
        </div>
        <div className="flex flex-wrap gap-2">{children}</div>
      </div>
      {about && <div className="text-muted">{about}</div>}
    </div>
  )
}
