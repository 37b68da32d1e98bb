'use client'

import type { FieldIssue } from '@workly/core'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { publicErrorOf } from '#trpc/query-client.ts'
import { Button, LinkButton } from '#ui/button.tsx'
import { Notice } from '#ui/notice.tsx'
import { DeliveryFields } from './delivery-fields.tsx'
import { type FormErrors, pathsOf, sortIssues, withoutChanged } from './draft-issues.ts'
import { type ReadDraft, readDraft } from './draft-settings.ts'
import { IdentityFields } from './identity-fields.tsx'
import type { JobDraft } from './job-draft.ts'
import { ScheduleFields } from './schedule-fields.tsx'
import { SchedulePreviewCard } from './schedule-preview.tsx'
import { problemWords } from './use-job-actions.ts'
import { WhatFields } from './what-fields.tsx'

/** What every part of the form gets. */
export interface PartProps {
  draft: JobDraft
  errors: FormErrors
  /** @param typed what was typed, where that is only a part of `part` */
  onChange: (part: Partial<JobDraft>, typed?: object) => void
  /** @param paths the API's paths of what was typed, whose errors are out of date */
  edit: (part: Partial<JobDraft>, paths: readonly string[]) => void
  /** What was found wrong by another call than the form's own. */
  onIssues: (issues: FieldIssue[]) => void
}

/** What the server has to say against a draft, field by field where it can. */
function issuesOf(error: unknown): FieldIssue[] {
  const known = publicErrorOf(error)
  return known && known.issues.length > 0 ? known.issues : [{ field: '', message: problemWords(error) }]
}

interface JobFormProps {
  initial: JobDraft
  /** An existing job's name cannot be changed. */
  isNew: boolean
  /** The name of the job that is stored; null for a new one. */
  storedName: string | null
  submitLabel: string
  cancelHref: string
  isBusy: boolean
  /** From where an interval without `from` counts, for the preview; of a new job it is its creation. */
  anchor?: string
  /** @throws what the server answered; the form puts it where it belongs */
  onSubmit: (read: ReadDraft['settings'], draft: JobDraft) => Promise<unknown>
  /** Turns an error into the issues to show; null where the form finds them itself. */
  explain?: (error: unknown) => FieldIssue[] | null
}

/** The form of a job: its name, when it runs with a preview as one types, what it calls and by which rules. */
export function JobForm(props: JobFormProps) {
  const { initial, isNew, storedName, submitLabel, cancelHref, isBusy, onSubmit, explain, anchor } = props
  const [draft, setDraft] = useState(initial)
  const [issues, setIssues] = useState<FieldIssue[]>([])
  /** How often the form was refused: each time the first of what is wrong is focused. */
  const [refusals, setRefusals] = useState(0)
  const formRef = useRef<HTMLFormElement>(null)
  const problemsRef = useRef<HTMLDivElement>(null)
  const { shown, others } = sortIssues(issues, draft.kind)
  function edit(change: Partial<JobDraft>, paths: readonly string[]) {
    setDraft(now => ({ ...now, ...change }))
    setIssues(now => withoutChanged(now, paths))
  }
  const part: PartProps = {
    draft,
    errors: shown,
    onChange: (change, typed = change) => edit(change, pathsOf('', typed)),
    edit,
    onIssues: refuse,
  }

  /** Tells what is wrong and takes the reader to the first of it. */
  function refuse(found: FieldIssue[]) {
    setIssues(found)
    setRefusals(now => now + 1)
  }

  // Once the page shows what is wrong: a frame after it was told may still come before that.
  useEffect(() => {
    if (refusals === 0) return
    const field = formRef.current?.querySelector<HTMLElement>('[aria-invalid=true]')
    const target = field ?? problemsRef.current
    target?.focus()
  }, [refusals])

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (isBusy) return
    const { settings, issues: found } = readDraft(draft)
    if (found.length > 0) return refuse(found)
    setIssues([])
    try {
      await onSubmit(settings, draft)
    } catch (error) {
      refuse(explain?.(error) ?? issuesOf(error))
    }
  }

  return (
    <form
      ref={formRef}
      onSubmit={submit}
      noValidate
      className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]"
    >
      <div ref={problemsRef} tabIndex={-1} className="grid gap-2 scroll-mt-6 empty:hidden lg:col-start-1">
        {others.map(issue => (
          <Notice key={issue.field + issue.message} tone="bad" alert>
            {issue.field ? `${issue.field}: ${issue.message}` : issue.message}
          </Notice>
        ))}
      </div>
      <div className="lg:col-start-1">
        <IdentityFields {...part} isNew={isNew} />
      </div>
      <div className="lg:col-start-1">
        <ScheduleFields {...part} isNew={isNew} />
      </div>
      <div className="lg:sticky lg:top-6 lg:col-start-2 lg:row-[1/span_9]">
        <SchedulePreviewCard draft={draft} anchor={anchor} />
      </div>
      <div className="lg:col-start-1">
        <WhatFields {...part} storedName={storedName} />
      </div>
      <div className="lg:col-start-1">
        <DeliveryFields {...part} isNew={isNew} />
      </div>
      <div className="flex gap-2 lg:col-start-1">
        <Button type="submit" variant="primary" busy={isBusy}>
          {submitLabel}
        </Button>
        <LinkButton href={cancelHref} variant="quiet">
          Cancel
        </LinkButton>
      </div>
    </form>
  )
}
