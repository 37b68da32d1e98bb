import type { JobCounts } from '@workly/services'
import type { ReactNode } from 'react'
import { RelativeMoment } from '#ui/moment.tsx'
import { successRate } from './success-rate.ts'

/** How the job's runs have ended since it was made. */
export function JobCountsView({ counts }: { counts: JobCounts }) {
  const rate = successRate(counts)
  return (
    <section aria-label="Counts of runs" className="rounded-card border border-line bg-surface">
      <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-card bg-line sm:grid-cols-3 lg:grid-cols-6">
        <Count name="Success rate">{rate ?? <span className="text-muted">–</span>}</Count>
        <Count name="Succeeded">{counts.succeeded}</Count>
        <Count name="Failed">
          <span className={counts.failed > 0 ? 'text-bad' : ''}>{counts.failed}</span>
        </Count>
        <Count name="Skipped">{counts.skipped}</Count>
        <Count name="Cancelled">{counts.cancelled}</Count>
        <Count name="Last success">
          {counts.last_success_at ? (
            <RelativeMoment at={counts.last_success_at} />
          ) : (
            <span className="text-muted">never</span>
          )}
        </Count>
      </dl>
    </section>
  )
}

function Count({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="bg-surface px-4 py-2.5">
      <dt className="text-xs text-muted">{name}</dt>
      <dd className="tnum text-[17px] leading-6 font-semibold">{children}</dd>
    </div>
  )
}
