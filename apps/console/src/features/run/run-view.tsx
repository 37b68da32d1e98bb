'use client'

import { jobPath } from '#features/project/addresses.ts'
import { useProjectInput } from '#features/project/project-scope.tsx'
import type { ShownRun } from '#trpc/router.ts'
import { Card } from '#ui/card.tsx'
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
  const { run, error, refetch } = useRun(id)
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
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_minmax(0,24rem)]">
        <div className="grid gap-4 lg:order-last">
          <RunSummary run={run} />
        </div>
        <div className="grid gap-4">
          {run.steps.length > 0 && <StepList steps={run.steps} />}
          <Attempts run={run} />
          <RequestView request={run.request} />
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
