'use client'

import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import Link from 'next/link'
import { useState } from 'react'
import { runPath } from '#features/project/addresses.ts'
import { useProjectInput } from '#features/project/project-scope.tsx'
import { RunStateMark } from '#features/run/run-state.tsx'
import { useTRPC } from '#trpc/client.tsx'
import { LIVE_MS } from '#trpc/query-client.ts'
import type { ShownTime } from '#trpc/router.ts'
import { Card } from '#ui/card.tsx'
import { Empty } from '#ui/empty.tsx'
import { Select } from '#ui/field.tsx'
import { Icon } from '#ui/icon.tsx'
import { LoadMore } from '#ui/load-more.tsx'
import { ShortMoment } from '#ui/moment.tsx'
import { QueryProblem } from '#ui/query-problem.tsx'
import { Cell, Head, Table } from '#ui/table.tsx'
import { Backfill } from './backfill.tsx'
import { isInOrder, outcomeMark } from './outcomes.ts'

const RANGES = [
  { hours: 24, words: 'Last 24 hours' },
  { hours: 24 * 7, words: 'Last 7 days' },
  { hours: 24 * 30, words: 'Last 30 days' },
] as const

interface LedgerProps {
  job: string
  /** When the job was made: before that there is nothing to tell. */
  madeAt: string
}

/** What became of each scheduled time: closed at first, since few look at it. */
export function Ledger({ job, madeAt }: LedgerProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <Card title="What became of each time" flush aside={<Backfill job={job} />}>
      <details open={isOpen} onToggle={event => setOpen(event.currentTarget.open)} className="group">
        <summary className="flex min-h-11 list-none items-center gap-3 px-4 py-2 text-muted hover:bg-canvas [&::-webkit-details-marker]:hidden">
          <Icon name="chevron" className="size-4 -rotate-90 group-open:rotate-0" />
          Every scheduled time with its run, or why there was none
        </summary>
        {isOpen && <Times job={job} madeAt={madeAt} />}
      </details>
    </Card>
  )
}

function Times({ job, madeAt }: LedgerProps) {
  const trpc = useTRPC()
  const place = useProjectInput()
  const [hours, setHours] = useState<number>(24)
  const [onlyTroubles, setOnlyTroubles] = useState(false)
  // Where the range began when it was chosen: a beginning that moved along would be another list each second.
  const [from, setFrom] = useState(() => beginning(24, madeAt))
  const list = useInfiniteQuery(
    trpc.job.times.infiniteQueryOptions(
      { ...place, name: job, from },
      {
        getNextPageParam: page => page.next_cursor,
        refetchInterval: LIVE_MS,
        placeholderData: keepPreviousData,
      },
    ),
  )
  const times = list.data?.pages.flatMap(page => page.data) ?? []
  const shown = onlyTroubles ? times.filter(time => !isInOrder(time.outcome, time.run?.state ?? null)) : times

  return (
    <div className="border-t border-line">
      <div className="flex flex-wrap items-center gap-x-5 gap-y-2 px-4 py-2">
        <Select
          aria-label="Range of times"
          value={hours}
          onChange={event => {
            const chosen = RANGES.find(range => String(range.hours) === event.target.value)
            if (!chosen) return
            setHours(chosen.hours)
            setFrom(beginning(chosen.hours, madeAt))
          }}
          className="min-w-40"
        >
          {RANGES.map(range => (
            <option key={range.hours} value={range.hours}>
              {range.words}
            </option>
          ))}
        </Select>
        <label className="control flex items-center gap-2 text-[13px]">
          <input
            type="checkbox"
            checked={onlyTroubles}
            onChange={event => setOnlyTroubles(event.target.checked)}
            className="size-4 accent-accent"
          />
          Only what was missed, skipped, cancelled or failed
        </label>
      </div>
      {list.error && !list.data && <QueryProblem error={list.error} onRetry={() => list.refetch()} />}
      {list.isSuccess && shown.length === 0 && (
        <Empty title={onlyTroubles ? 'Nothing to look at' : 'No times'}>
          <p>
            {onlyTroubles
              ? 'Every time that is loaded ran, or was not to run.'
              : 'The schedule has no time in this range.'}
          </p>
        </Empty>
      )}
      {shown.length > 0 && (
        <Table caption="Scheduled times, oldest first" stale={list.isPlaceholderData} head={<TimeHeads />}>
          {shown.map(time => (
            <TimeRow key={time.scheduled_for} time={time} />
          ))}
        </Table>
      )}
      <LoadMore
        things="times"
        hasMore={list.hasNextPage}
        isLoading={list.isFetchingNextPage}
        onLoad={() => list.fetchNextPage()}
      />
    </div>
  )
}

/** Where a range begins: so many hours ago, or when the job was made. */
function beginning(hours: number, madeAt: string): string {
  return new Date(Math.max(Date.now() - hours * 3_600_000, Date.parse(madeAt))).toISOString()
}

function TimeHeads() {
  return (
    <>
      <Head>Scheduled for</Head>
      <Head className="min-w-36">Outcome</Head>
      <Head className="w-full max-md:hidden">Why</Head>
    </>
  )
}

function TimeRow({ time }: { time: ShownTime }) {
  const place = useProjectInput()
  const mark = outcomeMark(time.outcome)
  return (
    <tr className="h-11">
      <Cell className="whitespace-nowrap">
        {time.run ? (
          <Link
            href={runPath(place, time.run.id)}
            prefetch={false}
            className="font-medium text-accent underline-offset-4 hover:underline"
          >
            <ShortMoment at={time.scheduled_for} />
          </Link>
        ) : (
          <ShortMoment at={time.scheduled_for} />
        )}
      </Cell>
      <Cell>
        {mark ? (
          <span className={`inline-flex items-center gap-1.5 font-medium whitespace-nowrap ${mark.colour}`}>
            <Icon name={mark.icon} />
            {mark.word}
          </span>
        ) : (
          time.run && <RunStateMark state={time.run.state} />
        )}
        <span className="block text-[13px] text-muted md:hidden">{time.reason}</span>
      </Cell>
      <Cell className="text-muted max-md:hidden">{time.reason}</Cell>
    </tr>
  )
}
