'use client'

import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useProjectInput } from '#features/project/project-scope.tsx'
import { useTRPC } from '#trpc/client.tsx'
import { LIVE_MS } from '#trpc/query-client.ts'
import { Button } from '#ui/button.tsx'
import { Empty } from '#ui/empty.tsx'
import { LoadMore } from '#ui/load-more.tsx'
import { QueryProblem } from '#ui/query-problem.tsx'
import { Table } from '#ui/table.tsx'
import { FirstJob } from './first-job.tsx'
import { isFiltered } from './job-filter.ts'
import { JobFilters } from './job-filters.tsx'
import { JobHeads } from './job-heads.tsx'
import { JobRowView } from './job-row.tsx'
import { useJobFilter } from './use-job-filter.ts'

/** The project's jobs, newest first, kept up to date while they are looked at. */
export function JobList({ exampleUrl, exampleKey }: { exampleUrl: string; exampleKey: boolean }) {
  const trpc = useTRPC()
  const place = useProjectInput()
  const { filter, search, setFilter, type, clear } = useJobFilter()
  const list = useInfiniteQuery(
    trpc.job.list.infiniteQueryOptions(
      { ...place, ...filter },
      {
        getNextPageParam: page => page.next_cursor,
        refetchInterval: LIVE_MS,
        placeholderData: keepPreviousData,
      },
    ),
  )
  const jobs = list.data?.pages.flatMap(page => page.data) ?? []
  const isEmpty = list.isSuccess && jobs.length === 0 && !list.isPlaceholderData

  if (isEmpty && !isFiltered(filter)) return <FirstJob url={exampleUrl} needsKey={exampleKey} />
  return (
    <div className="grid gap-3">
      <JobFilters filter={filter} search={search} onSearch={type} onChange={setFilter} />
      <section aria-label="Jobs" className="min-w-0 rounded-card border border-line bg-surface">
        {list.error && !list.data && <QueryProblem error={list.error} onRetry={() => list.refetch()} />}
        {isEmpty && (
          <Empty title="No job fits">
            <p>No job of this project fits the search and filters.</p>
            <Button onClick={clear}>Clear filters</Button>
          </Empty>
        )}
        {jobs.length > 0 && (
          <Table caption="Jobs, newest first" stale={list.isPlaceholderData} head={<JobHeads />}>
            {jobs.map(job => (
              <JobRowView key={job.id} job={job} />
            ))}
          </Table>
        )}
        <LoadMore
          things="jobs"
          hasMore={list.hasNextPage}
          isLoading={list.isFetchingNextPage}
          onLoad={() => list.fetchNextPage()}
        />
      </section>
    </div>
  )
}
