/** A grey place-holder of a text's final size. */
export function Skeleton({ className = 'h-4 w-24' }: { className?: string }) {
  return <span aria-hidden="true" className={`pulse-bar block rounded bg-sunken ${className}`} />
}
