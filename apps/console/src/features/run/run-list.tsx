'use client'

import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { RUN_STATES, type RunListItem, type RunState } from '@workly/core'
import { type ReactNode, useState } from 'react'
import { type JobFilter, KIND_NAMES, readKind } from '#features/job/job-filter.ts'
import { useProjectInput } from '#features/project/project-scope.tsx'
import { useTRPC } from '#trpc/client.tsx'
import { LIVE_MS } from '#trpc/query-client.ts'
import { Button } from '#ui/button.tsx'
import { Empty } from '#ui/empty.tsx'
import { Select } from '#ui/field.tsx'
import { LoadMore } from '#ui/load-more.tsx'
import { QueryProblem } from '#ui/query-problem.tsx'
import { Table } from '#ui/table.tsx'
import { RunHeads } from './run-heads.tsx'
import { RunRowView } from './run-row.tsx'
import { STATE_WORDS } from './words.ts'

interface RunListProps {
  title: string
  /** Only of jobs of this kind at first. */
  startsWithKind?: JobFilter['kind']
  /** Only the runs of this job; without it every run of the project, with its job's name. */
  job?: string
  /** What to say where there is none at all. */
  empty: ReactNode
}

/** Runs, newest first, kept up to date while they are looked at. */
export function RunList({ title, job, startsWithKind, empty }: RunListProps) {
  const trpc = useTRPC()
  const place = useProjectInput()
  const [state, setState] = useState<RunState | undefined>(undefined)
  const [kind, setKind] = useState(startsWithKind)
  const list = useInfiniteQuery(
    trpc.run.list.infiniteQueryOptions(
      { ...place, job, state, kind },
      {
        getNextPageParam: page => page.next_cursor,
        refetchInterval: LIVE_MS,
        placeholderData: keepPreviousData,
      },
    ),
  )
  const runs = list.data?.pages.flatMap(page => page.data) ?? []
  const isNarrowed = state !== undefined || kind !== undefined
  const isEmpty = list.isSuccess && runs.length === 0 && !list.isPlaceholderData

  return (
    <section aria-label={title} className="min-w-0 rounded-card border border-line bg-surface">
      <div className="flex flex-wrap items-center justify-between gap-2 border-b border-line py-1.5 pr-2 pl-4">
        <h2 className="text-[13px] font-semibold">{title}</h2>
        <div className={`flex flex-wrap gap-2 ${job === undefined ? 'max-sm:w-full' : ''}`}>
          {job === undefined && (
            <Select
              aria-label="Kind of jobs"
              value={kind ?? ''}
              onChange={event => setKind(readKind(event.target.value))}
              className="min-w-36 max-sm:flex-1"
            >
              <option value="">Any kind</option>
              {Object.entries(KIND_NAMES).map(([known, name]) => (
                <option key={known} value={known}>
                  {name}
                </option>
              ))}
            </Select>
          )}
          <Select
            aria-label="State of runs"
            value={state ?? ''}
            onChange={event => setState(RUN_STATES.find(known => known === event.target.value))}
            className="min-w-36 max-sm:flex-1"
          >
            <option value="">Any state</option>
            {RUN_STATES.map(known => (
              <option key={known} value={known}>
                {STATE_WORDS[known]}
              </option>
            ))}
          </Select>
        </div>
      </div>
      {list.error && !list.data && <QueryProblem error={list.error} onRetry={() => list.refetch()} />}
      {isEmpty && !isNarrowed && empty}
      {isEmpty && isNarrowed && (
        <Empty title={state ? `No ${STATE_WORDS[state].toLowerCase()} runs` : 'No runs'}>
          <p>Nothing here is of this {state ? 'state' : 'kind'} now.</p>
          <Button
            onClick={() => {
              setState(undefined)
              setKind(undefined)
            }}
          >
            Show every run
          </Button>
        </Empty>
      )}
      {runs.length > 0 && <RunTable runs={runs} withJob={job === undefined} stale={list.isPlaceholderData} />}
      <LoadMore
        things="runs"
        hasMore={list.hasNextPage}
        isLoading={list.isFetchingNextPage}
        onLoad={() => list.fetchNextPage()}
      />
    </section>
  )
}

function RunTable({ runs, withJob, stale }: { runs: RunListItem[]; withJob: boolean; stale: boolean }) {
  return (
    <Table caption="Runs, newest first" stale={stale} head={<RunHeads withJob={withJob} />}>
      {runs.map(run => (
        <RunRowView key={run.id} run={run} withJob={withJob} />
      ))}
    </Table>
  )
}
