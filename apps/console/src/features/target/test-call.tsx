'use client'

import { useMutation } from '@tanstack/react-query'
import { type FieldIssue, LONGEST_TEST_SECONDS } from '@workly/core'
import { problemWords } from '#features/job/use-job-actions.ts'
import { useProjectInput, useRefusal } from '#features/project/project-scope.tsx'
import { AttemptView } from '#features/run/attempt-view.tsx'
import { useTRPC } from '#trpc/client.tsx'
import { publicErrorOf } from '#trpc/query-client.ts'
import { Button } from '#ui/button.tsx'
import { Notice } from '#ui/notice.tsx'
import { readHttp } from './read-target.ts'
import type { HttpDraft } from './target-draft.ts'

interface TestCallProps {
  draft: HttpDraft
  /** What stands before the API's paths of the request's fields, such as `steps[1].`. */
  place: string
  /** The job whose stored secrets the masks stand for; null for one that is not saved yet. */
  storedName: string | null
  /** Its step, of a pipeline. */
  storedStep: string | null
  /** Told what is wrong with the fields, by the API's paths. */
  onIssues: (issues: FieldIssue[]) => void
}

/** One real call with what stands in the form, nothing saved, and what came of it. */
export function TestCall({ draft, place, storedName, storedStep, onIssues }: TestCallProps) {
  const trpc = useTRPC()
  const project = useProjectInput()
  const refusal = useRefusal('write')
  const test = useMutation(trpc.job.test.mutationOptions())

  async function call() {
    const issues: FieldIssue[] = []
    const settings = readHttp(draft, place, issues)
    if (issues.length > 0) return onIssues(issues)
    const keepsSecrets = draft.headers.some(header => header.isStored && header.value === '')
    const isStored = storedName !== null && (place === '' || storedStep !== null)
    try {
      await test.mutateAsync({
        ...project,
        call: {
          ...settings,
          response: 'sync',
          timeout_seconds: Math.min(settings.timeout_seconds ?? LONGEST_TEST_SECONDS, LONGEST_TEST_SECONDS),
          ...(keepsSecrets && isStored && { job: storedName, step: storedStep }),
        },
      })
    } catch (error) {
      const found = publicErrorOf(error)?.issues ?? []
      if (found.length > 0)
        onIssues(found.map(issue => ({ ...issue, field: place + issue.field.replace(/^call\./, '') })))
    }
  }

  const failed = test.error !== null && (publicErrorOf(test.error)?.issues.length ?? 0) === 0
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3 rounded-control border border-line p-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Button icon="play" busy={test.isPending} reason={refusal} onClick={call}>
          Test call
        </Button>
        <p className="min-w-0 flex-1 basis-60 text-[13px] text-muted">
          One real, signed call with what stands here, of at most {LONGEST_TEST_SECONDS} s. Nothing is saved
          {draft.response === 'callback' && '; no callback is waited for'}.
        </p>
      </div>
      <div role="status" className="empty:hidden">
        {failed && <Notice tone="bad" title={problemWords(test.error)} />}
        {test.data && !test.isPending && (
          <div className="rounded-control border border-line">
            <AttemptView key={test.data.id} attempt={test.data} startsOpen title="Test call" />
          </div>
        )}
      </div>
    </div>
  )
}
