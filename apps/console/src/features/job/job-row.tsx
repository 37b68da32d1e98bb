'use client'

import Link from 'next/link'
import { jobPath, runPath } from '#features/project/addresses.ts'
import { useProjectInput, useRefusal } from '#features/project/project-scope.tsx'
import { RecentStrip } from '#features/run/recent-strip.tsx'
import { RunStateMark } from '#features/run/run-state.tsx'
import type { ShownJobRow } from '#trpc/router.ts'
import { Badge } from '#ui/badge.tsx'
import { Button } from '#ui/button.tsx'
import { RelativeMoment } from '#ui/moment.tsx'
import { Cell } from '#ui/table.tsx'
import { JobStateBadge } from './job-state.tsx'
import { useJobActions } from './use-job-actions.ts'

export function JobRowView({ job }: { job: ShownJobRow }) {
  const place = useProjectInput()
  return (
    <tr className="h-16 hover:bg-canvas">
      <Cell className="w-full max-w-0">
        <div className="flex min-w-0 items-center gap-2">
          <Link
            href={jobPath(place, job.name)}
            prefetch={false}
            className="truncate font-medium underline-offset-4 hover:underline"
          >
            {job.name}
          </Link>
          {job.state !== 'active' && <JobStateBadge state={job.state} />}
          <Tags tags={job.tags} />
        </div>
        <p className="truncate text-[13px] text-muted" title={job.cron ?? undefined}>
          {job.words}
          {job.timezone !== 'UTC' && ` · ${job.timezone}`}
        </p>
        <p className="flex items-center gap-2 text-[13px] text-muted sm:hidden">
          <LastRun job={job} />
          {job.next_run_at && <span aria-hidden="true">·</span>}
          {job.next_run_at && (
            <span>
              next <RelativeMoment at={job.next_run_at} />
            </span>
          )}
        </p>
      </Cell>
      <Cell className="max-md:hidden">
        {job.next_run_at ? (
          <RelativeMoment at={job.next_run_at} />
        ) : (
          <span className="whitespace-nowrap text-muted">
            {job.state === 'paused' ? 'paused' : 'no times left'}
          </span>
        )}
      </Cell>
      <Cell className="max-sm:hidden">
        <LastRun job={job} />
      </Cell>
      <Cell className="max-lg:hidden">
        <RecentStrip runs={job.recent} />
      </Cell>
      <Cell>
        <RowActions job={job} />
      </Cell>
    </tr>
  )
}

function Tags({ tags }: { tags: string[] }) {
  const rest = tags.length - 2
  return (
    <span className="flex shrink-0 gap-1 max-sm:hidden">
      {tags.slice(0, 2).map(tag => (
        <Badge key={tag}>{tag}</Badge>
      ))}
      {rest > 0 && (
        <span title={tags.slice(2).join(', ')}>
          <Badge>+{rest}</Badge>
        </span>
      )}
    </span>
  )
}

function LastRun({ job }: { job: ShownJobRow }) {
  const place = useProjectInput()
  const run = job.last_run
  if (!run) return <span className="whitespace-nowrap text-muted">no runs yet</span>
  return (
    <Link
      href={runPath(place, run.id)}
      prefetch={false}
      className="inline-flex items-center gap-2 align-middle underline-offset-4 hover:underline"
    >
      <RunStateMark state={run.state} />
      <RelativeMoment at={run.finished_at ?? run.scheduled_for} className="text-muted max-sm:hidden" />
    </Link>
  )
}

function RowActions({ job }: { job: ShownJobRow }) {
  const { input, trigger, pause, resume } = useJobActions(job.name)
  const refusal = useRefusal('run')
  if (refusal) return null
  return (
    <div className="flex justify-end gap-1">
      <Button
        icon="play"
        iconOnly
        busy={trigger.isPending}
        title={`Run ${job.name} now`}
        onClick={() => trigger.mutate(input)}
      >
        Run {job.name} now
      </Button>
      {job.state === 'paused' ? (
        <Button
          icon="resume"
          iconOnly
          busy={resume.isPending}
          title={`Resume ${job.name}`}
          onClick={() => resume.mutate(input)}
        >
          Resume {job.name}
        </Button>
      ) : (
        <Button
          icon="pause"
          iconOnly
          busy={pause.isPending}
          reason={job.state === 'completed' ? 'It has no times left that a pause could stop.' : undefined}
          title={`Pause ${job.name}`}
          onClick={() => pause.mutate(input)}
        >
          Pause {job.name}
        </Button>
      )}
    </div>
  )
}
