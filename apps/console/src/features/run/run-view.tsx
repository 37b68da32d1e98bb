'use client'

import { jobPath } from '#features/project/addresses.ts'
import { useProjectInput } from '#features/project/project-scope.tsx'
import type { ShownRun } from '#trpc/router.ts'
import { Card } from '#ui/card.tsx'
import { Notice } from '#ui/notice.tsx'
import { PageHead } from '#ui/page-head.tsx'
import { QueryProblem } from '#ui/query-problem.tsx'
import { AttemptView } from './attempt-view.tsx'
import { RequestView } from './request-view.tsx'
import { RunActions } from './run-actions.tsx'
import { RunStateMark } from './run-state.tsx'
import { RunSummary } from './run-summary.tsx'
import { StepList } from './step-list.tsx'
import { useRun } from './use-run.ts'

/** One run: what became of it, every attempt, and exactly what was sent; kept up to date. */
export function RunView({ id }: { id: string }) {
  const place = useProjectInput()
  const { run, isGone, error, refetch } = useRun(id)
  if (!run) return error && <QueryProblem error={error} onRetry={() => refetch()} />
  return (
    <>
      <PageHead
        title={`Run of ${run.job}`}
        parent={{ name: run.job, href: jobPath(place, run.job) }}
        mark={
          <span role="status" aria-label="State of the run">
            <RunStateMark state={run.state} />
          </span>
        }
      >
        <RunActions run={run} />
      </PageHead>
      {!isGone && run.cancel_requested_at && (
        <div className="mb-4">
          <Notice tone="warn" title="Cancel requested: its container is being removed">
            <p>Nothing more of it counts; this notice goes when the container is gone.</p>
          </Notice>
        </div>
      )}
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_minmax(0,24rem)]">
        <div className="grid gap-4 lg:order-last">
          <RunSummary run={run} />
        </div>
        <div className="grid gap-4">
          {/* Attempts grow while they are looked at: nothing stands below them that would move. */}
          <RequestView request={run.request} />
          {run.steps.length > 0 && <StepList steps={run.steps} />}
          <Attempts run={run} />
        </div>
      </div>
    </>
  )
}

function Attempts({ run }: { run: ShownRun }) {
  const last = run.attempts.length - 1
  return (
    <Card
      title="Attempts"
      flush
      aside={<span className="tnum text-[13px] text-muted">{run.attempts.length}</span>}
    >
      {run.attempts.length === 0 ? (
        <p className="p-4 text-muted">
          {run.state === 'pending' ? 'None yet: it waits for a worker.' : 'None was made.'}
        </p>
      ) : (
        <ol className="divide-y divide-line">
          {run.attempts.map((attempt, index) => (
            <li key={attempt.id}>
              <AttemptView attempt={attempt} startsOpen={index === last} />
            </li>
          ))}
        </ol>
      )}
    </Card>
  )
}
