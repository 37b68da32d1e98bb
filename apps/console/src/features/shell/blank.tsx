import type { ReactNode } from 'react'
import { Logo } from './logo.tsx'

/** A page with one message in the middle, outside any project. */
export function Blank({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main className="mx-auto grid min-h-dvh max-w-md content-center gap-4 px-6 py-12">
      <Logo />
      <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
      <div className="grid justify-items-start gap-4 text-muted">{children}</div>
    </main>
  )
}
