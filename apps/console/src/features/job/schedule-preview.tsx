'use client'

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { SchedulePreview } from '@workly/core'
import { useEffect, useState } from 'react'
import { useProjectInput } from '#features/project/project-scope.tsx'
import { useTRPC } from '#trpc/client.tsx'
import { publicErrorOf } from '#trpc/query-client.ts'
import { Card } from '#ui/card.tsx'
import { useViewerZone } from '#ui/clock.tsx'
import { Notice } from '#ui/notice.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { draftSchedule } from './draft-settings.ts'
import type { JobDraft } from './job-draft.ts'
import { TimesTable } from './upcoming-times.tsx'

/** A value that stands still for a moment before it counts. */
function useSettled<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return settled
}

function previewed(draft: JobDraft, anchor: string | undefined): SchedulePreview {
  const schedule = draftSchedule(draft)
  return draft.when === 'interval' ? { ...schedule, from: schedule.from ?? anchor ?? null } : schedule
}

interface SchedulePreviewCardProps {
  draft: JobDraft
  /** From where an interval without `from` counts. */
  anchor?: string | undefined
}

/** The schedule of a draft in words and its next times, as one types; computed by the code that fires. */
export function SchedulePreviewCard({ draft, anchor }: SchedulePreviewCardProps) {
  const trpc = useTRPC()
  const place = useProjectInput()
  const viewerZone = useViewerZone()
  const text = useSettled(JSON.stringify(previewed(draft, anchor)), 250)
  const schedule: SchedulePreview = JSON.parse(text)
  const { data, error } = useQuery(
    trpc.job.preview.queryOptions(
      { ...place, schedule },
      { placeholderData: keepPreviousData, staleTime: 30_000 },
    ),
  )
  const refusal = error && (publicErrorOf(error)?.issues ?? [])
  return (
    <Card title="Preview">
      <div className="grid min-h-56 content-start gap-3">
        <div role="status" className="empty:hidden">
          {refusal && (
            <Notice tone="warn" title="This schedule cannot be read yet.">
              {refusal.length === 0 && <p>The server cannot be reached.</p>}
              {refusal.map(issue => (
                <p key={issue.field + issue.message}>{issue.message}</p>
              ))}
            </Notice>
          )}
          {!refusal && data && <p className="text-[15px] font-medium">{data.description}</p>}
        </div>
        {!refusal && !data && (
          <>
            <Skeleton className="h-5 w-40" />
            <Skeleton className="h-36 w-full" />
          </>
        )}
        {!refusal && data && (
          <>
            <TimesTable
              times={data.next_runs}
              zone={schedule.timezone ?? 'UTC'}
              viewerZone={viewerZone}
              stacked
            />
            {data.warnings.map(warning => (
              <Notice key={warning.code} tone="warn">
                {warning.message}
              </Notice>
            ))}
          </>
        )}
      </div>
    </Card>
  )
}
