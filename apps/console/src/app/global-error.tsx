'use client'

import './globals.css'

/** Stands in for the whole page when even the frame around it failed. */
export default function GlobalError({ reset }: { error: Error; reset: () => void }) {
  return (
    <html lang="en">
      <body>
        <main className="mx-auto grid min-h-dvh max-w-md content-center gap-4 px-6">
          <h1 className="text-xl font-semibold">The console could not be shown</h1>
          <p className="text-muted">Something went wrong on our side. Try again in a moment.</p>
          <button type="button" onClick={reset} className="w-fit text-accent underline">
            Try again
          </button>
        </main>
      </body>
    </html>
  )
}
