'use client'

import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { jobsPath } from '#features/project/addresses.ts'
import { useRefusal } from '#features/project/project-scope.tsx'
import { useTRPC } from '#trpc/client.tsx'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Field, TextInput } from '#ui/field.tsx'
import { Notice } from '#ui/notice.tsx'
import { problemWords, useJobActions } from './use-job-actions.ts'

/** Deletes a job once its name was typed, since its runs go with it and nothing brings them back. */
export function DeleteJob({ name }: { name: string }) {
  const [isOpen, setOpen] = useState(false)
  const refusal = useRefusal('write')
  return (
    <>
      <Button icon="trash" reason={refusal} onClick={() => setOpen(true)}>
        Delete
      </Button>
      <Dialog open={isOpen} title={`Delete ${name}?`} onClose={() => setOpen(false)}>
        <DeleteForm name={name} onClose={() => setOpen(false)} />
      </Dialog>
    </>
  )
}

function DeleteForm({ name, onClose }: { name: string; onClose: () => void }) {
  const [typed, setTyped] = useState('')
  const [isMismatch, setMismatch] = useState(false)
  const { input, remove } = useJobActions(name)
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const router = useRouter()

  function submit() {
    if (typed !== name) return setMismatch(true)
    remove.mutate(input, {
      onSuccess: () => {
        // Nobody is to ask for it again while the page still stands.
        queryClient.cancelQueries({ queryKey: trpc.job.get.queryKey(input) })
        router.push(jobsPath(input))
      },
    })
  }

  return (
    <form
      className="grid gap-4"
      onSubmit={event => {
        event.preventDefault()
        if (!remove.isPending) submit()
      }}
    >
      <p className="text-muted">
        It stops at once, and its runs are deleted with it. This cannot be undone. To stop it for a while,
        pause it.
      </p>
      {remove.error && (
        <Notice tone="bad" alert>
          {problemWords(remove.error)}
        </Notice>
      )}
      <Field
        id="delete-name"
        label={`Type ${name} to confirm`}
        error={isMismatch ? `This is not its name. Type ${name} as it stands.` : undefined}
      >
        <TextInput
          id="delete-name"
          value={typed}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          aria-invalid={isMismatch || undefined}
          aria-describedby={isMismatch ? 'delete-name-error' : undefined}
          onChange={event => {
            setTyped(event.target.value)
            setMismatch(false)
          }}
        />
      </Field>
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Keep it</Button>
        <Button type="submit" variant="danger" busy={remove.isPending}>
          Delete job
        </Button>
      </div>
    </form>
  )
}
