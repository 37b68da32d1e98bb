import type { ReactNode } from 'react'

/** What a list says when it has nothing: what would be here, and how to get there. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] justify-items-center gap-2 px-4 py-12 text-center">
      <h2 className="text-[15px] font-semibold">{title}</h2>
      <div className="grid w-full max-w-prose grid-cols-[minmax(0,1fr)] justify-items-center gap-4 text-muted">
        {children}
      </div>
    </div>
  )
}
