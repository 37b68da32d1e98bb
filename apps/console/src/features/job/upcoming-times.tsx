'use client'

import type { Job } from '@workly/core'
import { formatSeconds } from '#time/duration.ts'
import { formatInstant, formatInstantWithOffset, formatOffset } from '#time/instant.ts'
import { Card, Fact, Facts } from '#ui/card.tsx'
import { useViewerZone } from '#ui/clock.tsx'
import { RelativeMoment } from '#ui/moment.tsx'

/** The expression as it is written, for those who read it faster than words. */
function expression(job: Job): string | null {
  if (job.cron !== null) return job.cron
  return job.interval_minutes === null ? null : `every ${formatSeconds(job.interval_minutes * 60)}`
}

/** When a job runs: in words, as an expression, and its next five times on its own clocks and the reader's. */
export function UpcomingTimes({ job, words }: { job: Job; words: string }) {
  const zone = useViewerZone()
  const expr = expression(job)
  return (
    <Card title="Schedule">
      <div className="grid gap-4">
        <div>
          <p className="text-[15px] font-medium">{words}</p>
          <p className="text-muted">
            {expr && <code className="font-mono text-[13px]">{expr}</code>}
            {expr && ' · '}
            {job.timezone}
          </p>
        </div>
        {(job.from || job.to) && (
          <Facts>
            {job.from && (
              <Fact name="From">{formatInstantWithOffset(Date.parse(job.from), job.timezone)}</Fact>
            )}
            {job.to && <Fact name="Until">{formatInstantWithOffset(Date.parse(job.to), job.timezone)}</Fact>}
          </Facts>
        )}
        {job.next_runs.length === 0 ? (
          <p className="text-muted">No times left. Edit the schedule to give it new ones.</p>
        ) : (
          <div>
            <h3 className="mb-1 text-[13px] font-medium">
              {job.state === 'paused' ? 'Next times, were it resumed now' : 'Next times'}
            </h3>
            <TimesTable times={job.next_runs} zone={job.timezone} viewerZone={zone} />
          </div>
        )}
      </div>
    </Card>
  )
}

interface TimesTableProps {
  times: string[]
  zone: string
  viewerZone: string
  /** The reader's time below the zone's, as on a phone: for narrow places. */
  stacked?: boolean
}

/** Scheduled times on a zone's clocks, and on the reader's where these differ. */
export function TimesTable({ times, zone, viewerZone, stacked = false }: TimesTableProps) {
  const [beside, below] = stacked ? ['hidden', ''] : ['max-sm:hidden', 'sm:hidden']
  const differs = times.some(
    at => formatOffset(Date.parse(at), zone) !== formatOffset(Date.parse(at), viewerZone),
  )
  return (
    <table className="tnum w-full text-left text-[13px]">
      <thead className="text-xs text-muted">
        <tr>
          <th scope="col" className="py-1 pr-4 font-medium">
            {zone}
          </th>
          {differs && (
            <th scope="col" className={`py-1 pr-4 font-medium ${beside}`}>
              Your time, {viewerZone}
            </th>
          )}
          <th scope="col" className="py-1 text-right font-medium">
            <span className="sr-only">From now</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {times.map(at => (
          <tr key={at}>
            <td className="py-1 pr-4">
              <time dateTime={at}>{formatInstant(Date.parse(at), zone)}</time>
              {differs && (
                <span className={`block text-muted ${below}`}>
                  yours: {formatInstant(Date.parse(at), viewerZone)}
                </span>
              )}
            </td>
            {differs && (
              <td className={`py-1 pr-4 text-muted ${beside}`}>
                {formatInstant(Date.parse(at), viewerZone)}
              </td>
            )}
            <td className="py-1 text-right align-top text-muted">
              <RelativeMoment at={at} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
