'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { errorAt } from '#features/job/draft-issues.ts'
import { problemWords } from '#features/job/use-job-actions.ts'
import { useProjectInput, useRefusal } from '#features/project/project-scope.tsx'
import { useTRPC } from '#trpc/client.tsx'
import { publicErrorOf } from '#trpc/query-client.ts'
import { useAnnounce } from '#ui/announcer.tsx'
import { Button } from '#ui/button.tsx'
import { useViewerZone } from '#ui/clock.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Notice } from '#ui/notice.tsx'
import { TextField } from '#ui/text-field.tsx'
import { countedWords } from './counted-words.ts'

/** Runs past times of the schedule: counted first, run when that is what was meant. */
export function Backfill({ job }: { job: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button icon="retry" reason={useRefusal('write')} onClick={() => setOpen(true)}>
        Backfill
      </Button>
      <Dialog open={isOpen} title={`Backfill ${job}`} onClose={() => setOpen(false)}>
        <BackfillForm job={job} onClose={() => setOpen(false)} />
      </Dialog>
    </>
  )
}

/** A time of the reader's clocks as an instant; what is none goes on as it is, for the server to refuse. */
function instantOf(local: string): string {
  const ms = Date.parse(local)
  return Number.isNaN(ms) ? local : new Date(ms).toISOString()
}

function BackfillForm({ job, onClose }: { job: string; onClose: () => void }) {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const announce = useAnnounce()
  const place = useProjectInput()
  const zone = useViewerZone()
  const [range, setRange] = useState({ from: '', to: '', again: false })
  const count = useMutation(trpc.job.backfill.mutationOptions())
  const run = useMutation(trpc.job.backfill.mutationOptions())

  const input = {
    ...place,
    name: job,
    from: instantOf(range.from),
    to: instantOf(range.to),
    onlyMissing: !range.again,
  }
  function change(part: Partial<typeof range>) {
    setRange(now => ({ ...now, ...part }))
    // What was counted was another range.
    count.reset()
    run.reset()
  }
  function submit(event: FormEvent) {
    event.preventDefault()
    if (!count.isPending) count.mutate({ ...input, dryRun: true })
  }
  async function carryOut() {
    const done = await run.mutateAsync({ ...input, dryRun: false })
    await queryClient.invalidateQueries({ queryKey: trpc.job.pathKey() })
    await queryClient.invalidateQueries({ queryKey: trpc.run.pathKey() })
    announce('good', `${job}: ${done.created + done.retried} runs wait for their turn.`)
    onClose()
  }
  const error = run.error ?? count.error
  const issues = publicErrorOf(error)?.issues ?? []
  const counted = count.data
  const work = counted ? counted.created + counted.retried : 0
  return (
    <form className="grid gap-4" onSubmit={submit} noValidate>
      <p className="text-muted">
        Past times of the present schedule are run, one after the other. Times are those of your clocks (
        {zone}).
      </p>
      {error && issues.length === 0 && (
        <Notice tone="bad" alert>
          {problemWords(error)}
        </Notice>
      )}
      <div className="grid gap-4">
        {(['from', 'to'] as const).map(bound => (
          <TextField
            key={bound}
            id={`backfill-${bound}`}
            label={bound === 'from' ? 'From' : 'To (included)'}
            type="datetime-local"
            step={1}
            error={errorAt(issues, bound)}
            value={range[bound]}
            onChange={event => change({ [bound]: event.target.value })}
          />
        ))}
      </div>
      <label className="control flex items-center gap-2">
        <input
          type="checkbox"
          checked={range.again}
          onChange={event => change({ again: event.target.checked })}
          className="size-4 shrink-0 accent-accent"
        />
        Also times that succeeded, or whose run was removed
      </label>
      <div role="status" className="empty:hidden">
        {counted && (
          <Notice tone={work > 0 ? 'info' : 'warn'} title={`${counted.times} scheduled times`}>
            <p>{countedWords(counted)}</p>
          </Notice>
        )}
      </div>
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant={counted ? 'secondary' : 'primary'} busy={count.isPending}>
          Count
        </Button>
        {counted && (
          <Button
            variant="primary"
            busy={run.isPending}
            reason={work === 0 ? 'There is nothing to run in this range.' : undefined}
            onClick={() => carryOut().catch(() => undefined)}
          >
            {`Run ${work}`}
          </Button>
        )}
      </div>
    </form>
  )
}
