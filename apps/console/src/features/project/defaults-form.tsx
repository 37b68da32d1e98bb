'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { FieldIssue } from '@workly/core'
import { type FormEvent, useState } from 'react'
import { errorAt } from '#features/job/draft-issues.ts'
import { type RetryDraft, readRetry, retryDraft } from '#features/job/retry-draft.ts'
import { RetryFields } from '#features/job/retry-fields.tsx'
import { missedWords, overlapWords } from '#features/job/settings-words.ts'
import { problemWords } from '#features/job/use-job-actions.ts'
import { readNumber } from '#features/target/read-number.ts'
import { useTRPC } from '#trpc/client.tsx'
import { publicErrorOf } from '#trpc/query-client.ts'
import type { ShownProject } from '#trpc/router.ts'
import { useAnnounce } from '#ui/announcer.tsx'
import { Button } from '#ui/button.tsx'
import { Card } from '#ui/card.tsx'
import { Field, Select } from '#ui/field.tsx'
import { Notice } from '#ui/notice.tsx'
import { TextField } from '#ui/text-field.tsx'
import { useProjectInput, useRefusal } from './project-scope.tsx'

type Defaults = ShownProject['default_settings']

interface DefaultsDraft {
  timezone: string
  timeoutSeconds: string
  retry: RetryDraft
  overlap: '' | NonNullable<Defaults['overlap']>
  missed: '' | NonNullable<Defaults['missed']>
}

const WORKLYS = 'Workly’s default'

/** The project's own defaults; what is empty has Workly's. */
export function DefaultsForm({ defaults }: { defaults: Defaults }) {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const announce = useAnnounce()
  const place = useProjectInput()
  const refusal = useRefusal('admin')
  const save = useMutation(trpc.project.setDefaults.mutationOptions())
  const [issues, setIssues] = useState<FieldIssue[]>([])
  // What the page began with; others may change it meanwhile.
  const [draft, setDraft] = useState<DefaultsDraft>(() => ({
    timezone: defaults.timezone ?? '',
    timeoutSeconds: String(defaults.timeout_seconds ?? ''),
    retry: retryDraft(defaults),
    overlap: defaults.overlap ?? '',
    missed: defaults.missed ?? '',
  }))
  const change = (part: Partial<DefaultsDraft>) => setDraft(now => ({ ...now, ...part }))

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (save.isPending || refusal) return
    const found: FieldIssue[] = []
    const settings = {
      timezone: draft.timezone.trim() || null,
      timeout_seconds: readNumber(draft.timeoutSeconds, 'timeout_seconds', found),
      ...readRetry(draft.retry, '', found),
      overlap: draft.overlap || null,
      missed: draft.missed || null,
    }
    setIssues(found)
    if (found.length > 0) return
    try {
      await save.mutateAsync({ ...place, defaults: settings })
      await queryClient.invalidateQueries({ queryKey: trpc.project.pathKey() })
      announce('good', 'The defaults are saved. Jobs that exist stay as they are.')
    } catch (error) {
      const told = publicErrorOf(error)?.issues ?? []
      if (told.length === 0) announce('bad', problemWords(error))
      setIssues(told.map(issue => ({ ...issue, field: issue.field.replace(/^defaults\./, '') })))
    }
  }

  return (
    <Card title="Defaults of new jobs">
      <form className="grid gap-4" onSubmit={submit} noValidate>
        <p className="text-muted">
          What a job gets where its form, or the PUT that sets it, leaves something out. Jobs that exist do
          not change.
        </p>
        {refusal && <Notice tone="info">{refusal}</Notice>}
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            id="default-timezone"
            label="Time zone"
            hint="An IANA name."
            error={errorAt(issues, 'timezone')}
            value={draft.timezone}
            placeholder="UTC"
            onChange={event => change({ timezone: event.target.value })}
          />
          <TextField
            id="default-timeout"
            label="Timeout of a call (seconds)"
            hint="1 to 1800"
            error={errorAt(issues, 'timeout_seconds')}
            value={draft.timeoutSeconds}
            inputMode="numeric"
            placeholder="30"
            onChange={event => change({ timeoutSeconds: event.target.value })}
          />
        </div>
        <RetryFields
          draft={draft.retry}
          place=""
          errors={issues}
          otherwise={WORKLYS}
          onChange={part => change({ retry: { ...draft.retry, ...part } })}
        />
        <Field id="default-overlap" label="When a run is due while another is going">
          <Select
            id="default-overlap"
            value={draft.overlap}
            onChange={event => change({ overlap: event.target.value as DefaultsDraft['overlap'] })}
          >
            <option value="">{WORKLYS}</option>
            {(['skip', 'queue', 'allow'] as const).map(choice => (
              <option key={choice} value={choice}>
                {overlapWords(choice)}
              </option>
            ))}
          </Select>
        </Field>
        <Field id="default-missed" label="When times were missed">
          <Select
            id="default-missed"
            value={draft.missed}
            onChange={event => change({ missed: event.target.value as DefaultsDraft['missed'] })}
          >
            <option value="">{WORKLYS}</option>
            {(['skip', 'catch_up'] as const).map(choice => (
              <option key={choice} value={choice}>
                {missedWords(choice)}
              </option>
            ))}
          </Select>
        </Field>
        <div>
          <Button type="submit" variant="primary" busy={save.isPending} reason={refusal}>
            Save defaults
          </Button>
        </div>
      </form>
    </Card>
  )
}
