import type { Attempt } from '@workly/core'
import { formatDuration } from '#time/duration.ts'
import { phases } from './timings.ts'

const PAINT: Record<string, string> = {
  DNS: 'fill-idle',
  Connect: 'fill-warn',
  TLS: 'fill-accent',
  Waiting: 'fill-busy',
  Download: 'fill-good',
  Total: 'fill-idle',
}

/** Where the time of one call went: a row for each part, each bar where it lay within the whole. */
export function Waterfall({ timings }: { timings: Attempt['timings'] }) {
  const parts = phases(timings)
  const total = Math.max(timings.total_ms ?? 0, ...parts.map(part => part.end))
  if (total <= 0) return null
  return (
    <table className="w-full max-w-2xl text-xs">
      <caption className="sr-only">Where the time went</caption>
      <tbody>
        {parts.map(part => (
          <tr key={part.name} className="h-5">
            <th scope="row" className="w-20 pr-3 text-left font-normal text-muted">
              {part.name}
            </th>
            <td className="w-full">
              <svg
                viewBox="0 0 1000 8"
                preserveAspectRatio="none"
                className="block h-2 w-full"
                aria-hidden="true"
              >
                <rect width="1000" height="8" className="fill-sunken" />
                <rect
                  x={(part.start / total) * 1000}
                  width={Math.max(4, ((part.end - part.start) / total) * 1000)}
                  height="8"
                  className={PAINT[part.name]}
                />
              </svg>
            </td>
            <td className="tnum pl-3 text-right whitespace-nowrap">
              {formatDuration(part.end - part.start)}
            </td>
          </tr>
        ))}
        <tr className="h-5">
          <th scope="row" className="text-left font-medium">
            Total
          </th>
          <td />
          <td className="tnum pl-3 text-right font-medium whitespace-nowrap">{formatDuration(total)}</td>
        </tr>
      </tbody>
    </table>
  )
}
