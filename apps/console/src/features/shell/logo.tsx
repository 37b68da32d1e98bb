/** A dial whose hand has just reached the hour. */
export function Logo() {
  return (
    <span className="inline-flex items-center gap-2 text-[15px] font-semibold tracking-tight text-ink">
      <svg viewBox="0 0 20 20" className="size-5 text-accent" aria-hidden="true">
        <rect width="20" height="20" rx="5" fill="currentColor" />
        <path
          d="M10 5v5l3.25 2"
          fill="none"
          className="stroke-on-accent"
          strokeWidth="1.75"
          strokeLinecap="round"
        />
      </svg>
      Workly
    </span>
  )
}
