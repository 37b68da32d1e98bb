'use client'

import { useMutation } from '@tanstack/react-query'
import type { FieldIssue } from '@workly/core'
import { useRouter } from 'next/navigation'
import { type FormEvent, useRef, useState } from 'react'
import { jobPath, jobsPath } from '#features/project/addresses.ts'
import { useProjectInput } from '#features/project/project-scope.tsx'
import { useTRPC } from '#trpc/client.tsx'
import { publicErrorOf } from '#trpc/query-client.ts'
import { useAnnounce } from '#ui/announcer.tsx'
import { Button, LinkButton } from '#ui/button.tsx'
import { Card } from '#ui/card.tsx'
import { useViewerZone } from '#ui/clock.tsx'
import { Field, TextInput } from '#ui/field.tsx'
import { Notice } from '#ui/notice.tsx'
import { EMPTY_DRAFT, type JobDraft, readDraft, sortIssues } from './job-draft.ts'
import { RequestFields } from './request-fields.tsx'
import { ScheduleFields } from './schedule-fields.tsx'
import { SchedulePreviewCard } from './schedule-preview.tsx'
import { problemWords } from './use-job-actions.ts'

/** What the server has to say against a draft, field by field where it can. */
function issuesOf(error: unknown): FieldIssue[] {
  const known = publicErrorOf(error)
  if (known?.code === 'precondition_failed') {
    return [{ field: 'name', message: 'A job of this name exists already. Choose another name.' }]
  }
  return known && known.issues.length > 0 ? known.issues : [{ field: '', message: problemWords(error) }]
}

/** Makes a job: its name, when it runs with a preview as one types, and what it calls. */
export function NewJobForm() {
  const zone = useViewerZone()
  const [draft, setDraft] = useState<JobDraft>(() => ({ ...EMPTY_DRAFT, timezone: zone }))
  const [issues, setIssues] = useState<FieldIssue[]>([])
  const formRef = useRef<HTMLFormElement>(null)
  const trpc = useTRPC()
  const place = useProjectInput()
  const router = useRouter()
  const announce = useAnnounce()
  const create = useMutation(trpc.job.create.mutationOptions())
  const { byField, others } = sortIssues(issues)

  function change(part: Partial<JobDraft>) {
    setDraft(now => ({ ...now, ...part }))
  }

  /** Tells what is wrong and takes the reader to the first of it. */
  function refuse(found: FieldIssue[]) {
    setIssues(found)
    requestAnimationFrame(() =>
      formRef.current?.querySelector<HTMLElement>('[aria-invalid=true],[role=alert]')?.focus(),
    )
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    if (create.isPending) return
    const read = readDraft(draft)
    if (read.issues.length > 0) return refuse(read.issues)
    setIssues([])
    create.mutate(
      { ...place, name: draft.name, settings: read.settings },
      {
        onSuccess: () => {
          announce('good', `${draft.name} was created.`)
          router.push(jobPath(place, draft.name))
        },
        onError: error => refuse(issuesOf(error)),
      },
    )
  }

  return (
    <form
      ref={formRef}
      onSubmit={submit}
      noValidate
      className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]"
    >
      {others.map(issue => (
        <div key={issue.field + issue.message} className="lg:col-start-1">
          <Notice tone="bad" alert>
            {issue.field ? `${issue.field}: ${issue.message}` : issue.message}
          </Notice>
        </div>
      ))}
      <div className="lg:col-start-1">
        <Card title="Job">
          <NameField name={draft.name} error={byField.name} onChange={name => change({ name })} />
        </Card>
      </div>
      <div className="lg:col-start-1">
        <ScheduleFields draft={draft} errors={byField} onChange={change} />
      </div>
      <div className="lg:sticky lg:top-6 lg:col-start-2 lg:row-[1/span_9]">
        <SchedulePreviewCard draft={draft} />
      </div>
      <div className="lg:col-start-1">
        <RequestFields draft={draft} errors={byField} onChange={change} />
      </div>
      <div className="flex gap-2 lg:col-start-1">
        <Button type="submit" variant="primary" busy={create.isPending}>
          Create job
        </Button>
        <LinkButton href={jobsPath(place)} variant="quiet">
          Cancel
        </LinkButton>
      </div>
    </form>
  )
}

interface NameFieldProps {
  name: string
  error: string | undefined
  onChange: (name: string) => void
}

function NameField({ name, error, onChange }: NameFieldProps) {
  return (
    <Field
      id="name"
      label="Name"
      hint="Unique in the project, and it cannot be changed: it stands in addresses and headers."
      error={error}
    >
      <TextInput
        id="name"
        value={name}
        maxLength={100}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        placeholder="nightly-report"
        aria-invalid={error !== undefined}
        aria-describedby={error ? 'name-hint name-error' : 'name-hint'}
        onChange={event => onChange(event.target.value)}
      />
    </Field>
  )
}
