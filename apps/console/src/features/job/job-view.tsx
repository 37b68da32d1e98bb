'use client'

import { useQuery } from '@tanstack/react-query'
import { Ledger } from '#features/ledger/ledger.tsx'
import { jobsPath } from '#features/project/addresses.ts'
import { useProjectInput } from '#features/project/project-scope.tsx'
import { RunList } from '#features/run/run-list.tsx'
import { useTRPC } from '#trpc/client.tsx'
import { LIVE_MS } from '#trpc/query-client.ts'
import { Badge } from '#ui/badge.tsx'
import { Empty } from '#ui/empty.tsx'
import { Notice } from '#ui/notice.tsx'
import { PageHead } from '#ui/page-head.tsx'
import { QueryProblem } from '#ui/query-problem.tsx'
import { JobActions } from './job-actions.tsx'
import { JobCountsView } from './job-counts.tsx'
import { JobSettings } from './job-settings.tsx'
import { JobStateBadge } from './job-state.tsx'
import { RunCharts } from './run-charts.tsx'
import { UpcomingTimes } from './upcoming-times.tsx'

/** One job: when it runs, what it calls, how it went; kept up to date. */
export function JobView({ name }: { name: string }) {
  const trpc = useTRPC()
  const place = useProjectInput()
  const { data, error, refetch } = useQuery(
    trpc.job.get.queryOptions({ ...place, name }, { refetchInterval: LIVE_MS }),
  )
  if (!data) return error && <QueryProblem error={error} onRetry={() => refetch()} />
  const { job, counts, words } = data
  return (
    <>
      <PageHead
        title={job.name}
        parent={{ name: 'Jobs', href: jobsPath(place) }}
        mark={
          <>
            <span role="status" aria-label="State of the job">
              <JobStateBadge state={job.state} />
            </span>
            {job.tags.map(tag => (
              <Badge key={tag}>{tag}</Badge>
            ))}
          </>
        }
        about={job.description || undefined}
      >
        <JobActions job={job} />
      </PageHead>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 lg:grid-cols-2">
        {job.warnings.length > 0 && (
          <ul aria-label="Warnings" className="grid gap-2 lg:col-span-2">
            {job.warnings.map(warning => (
              <li key={warning.code}>
                <Notice tone="warn">{warning.message}</Notice>
              </li>
            ))}
          </ul>
        )}
        <UpcomingTimes job={job} words={words} />
        <div className="grid max-lg:order-last">
          <JobSettings job={job} />
        </div>
        <div className="lg:col-span-2">
          <JobCountsView counts={counts} />
        </div>
        <div className="lg:col-span-2">
          <RunCharts job={name} />
        </div>
        <div className="lg:col-span-2">
          <Ledger job={name} madeAt={job.created_at} />
        </div>
        <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] lg:col-span-2">
          <RunList
            title="Runs"
            job={name}
            empty={
              <Empty title="No runs yet">
                <p>
                  {job.state === 'active'
                    ? 'The first one comes at the next time above. Run now makes one at once.'
                    : 'Run now makes one at once; it does not move the schedule.'}
                </p>
              </Empty>
            }
          />
        </div>
      </div>
    </>
  )
}
