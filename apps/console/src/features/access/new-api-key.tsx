'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Scope } from '@workly/services'
import { type FormEvent, useState } from 'react'
import { errorAt } from '#features/job/draft-issues.ts'
import { problemWords } from '#features/job/use-job-actions.ts'
import { useProjectInput, useRefusal } from '#features/project/project-scope.tsx'
import { useTRPC } from '#trpc/client.tsx'
import { publicErrorOf } from '#trpc/query-client.ts'
import { Button } from '#ui/button.tsx'
import { useNow } from '#ui/clock.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Field, Select } from '#ui/field.tsx'
import { Notice } from '#ui/notice.tsx'
import { ShownOnce } from '#ui/shown-once.tsx'
import { TextField } from '#ui/text-field.tsx'
import { SCOPE_WORDS } from './scope-words.ts'

const SCOPES: readonly Scope[] = ['read', 'run', 'write']

/** Days until a key expires; null for never. */
const LIVES = [
  { days: null, words: 'Never' },
  { days: 30, words: 'In 30 days' },
  { days: 90, words: 'In 90 days' },
  { days: 365, words: 'In a year' },
] as const

/** Makes an API key and shows it this once. */
export function NewApiKey() {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button icon="plus" variant="primary" reason={useRefusal('admin')} onClick={() => setOpen(true)}>
        New API key
      </Button>
      <Dialog open={isOpen} title="New API key" onClose={() => setOpen(false)}>
        <KeyForm onClose={() => setOpen(false)} />
      </Dialog>
    </>
  )
}

function KeyForm({ onClose }: { onClose: () => void }) {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const place = useProjectInput()
  const now = useNow()
  const [name, setName] = useState('')
  const [scope, setScope] = useState<Scope>('write')
  const [days, setDays] = useState<number | null>(null)
  const create = useMutation(
    trpc.apiKey.create.mutationOptions({
      onSuccess: () => queryClient.invalidateQueries({ queryKey: trpc.apiKey.pathKey() }),
    }),
  )

  if (create.data) {
    return (
      <ShownOnce what="API key" text={create.data.key} onDone={onClose}>
        Keep it where your code finds it as WORKLY_API_KEY, and out of what you commit.
      </ShownOnce>
    )
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    if (create.isPending) return
    const expires = days === null ? null : new Date(now + days * 86_400_000).toISOString()
    create.mutate({ ...place, key: { name: name.trim(), scope, expires_at: expires } })
  }
  const issues = (publicErrorOf(create.error)?.issues ?? []).map(issue => ({
    ...issue,
    field: issue.field.replace(/^key\./, ''),
  }))
  return (
    <form className="grid gap-4" onSubmit={submit} noValidate>
      {create.error && issues.length === 0 && (
        <Notice tone="bad" alert>
          {problemWords(create.error)}
        </Notice>
      )}
      <TextField
        id="key-name"
        label="Name"
        hint="What uses it, such as the service and where it runs."
        error={errorAt(issues, 'name')}
        value={name}
        placeholder="billing, production"
        onChange={event => setName(event.target.value)}
      />
      <Field id="key-scope" label="What it may do" error={errorAt(issues, 'scope')}>
        <Select
          id="key-scope"
          value={scope}
          onChange={event => setScope(SCOPES.find(known => known === event.target.value) ?? 'read')}
        >
          {SCOPES.map(known => (
            <option key={known} value={known}>
              {SCOPE_WORDS[known]}
            </option>
          ))}
        </Select>
      </Field>
      <Field id="key-life" label="Expires" error={errorAt(issues, 'expires_at')}>
        <Select
          id="key-life"
          value={String(days ?? '')}
          onChange={event => setDays(event.target.value === '' ? null : Number(event.target.value))}
        >
          {LIVES.map(life => (
            <option key={life.words} value={String(life.days ?? '')}>
              {life.words}
            </option>
          ))}
        </Select>
      </Field>
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" busy={create.isPending}>
          Make key
        </Button>
      </div>
    </form>
  )
}
