import { type ReactNode, useId } from 'react'

interface CardProps {
  title: string
  /** To the right of the title. */
  aside?: ReactNode
  /** Content that brings its own padding, such as a table. */
  flush?: boolean
  children: ReactNode
}

/** A titled region of a page. */
export function Card({ title, aside, flush = false, children }: CardProps) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="min-w-0 rounded-card border border-line bg-surface">
      <div className="flex min-h-11 flex-wrap items-center justify-between gap-x-4 gap-y-1 px-4 py-1.5">
        <h2 id={id} className="text-[13px] font-semibold">
          {title}
        </h2>
        {aside}
      </div>
      <div className={flush ? 'border-t border-line' : 'border-t border-line p-4'}>{children}</div>
    </section>
  )
}

/** Named values, one under the other; labels to the left where there is room. */
export function Facts({ children }: { children: ReactNode }) {
  return <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-5 gap-y-2.5">{children}</dl>
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="contents">
      <dt className="text-[13px] text-muted">{name}</dt>
      <dd className="min-w-0 [overflow-wrap:anywhere]">{children}</dd>
    </div>
  )
}
