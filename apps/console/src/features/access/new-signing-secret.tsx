'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { problemWords } from '#features/job/use-job-actions.ts'
import { useProjectInput, useRefusal } from '#features/project/project-scope.tsx'
import { useTRPC } from '#trpc/client.tsx'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Notice } from '#ui/notice.tsx'
import { ShownOnce } from '#ui/shown-once.tsx'

/** Makes a new secret, in place of those before it or beside them, and shows it this once. */
export function NewSigningSecret() {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button icon="retry" variant="primary" reason={useRefusal('admin')} onClick={() => setOpen(true)}>
        Rotate
      </Button>
      <Dialog open={isOpen} title="New signing secret" onClose={() => setOpen(false)}>
        <RotateForm onClose={() => setOpen(false)} />
      </Dialog>
    </>
  )
}

function RotateForm({ onClose }: { onClose: () => void }) {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const place = useProjectInput()
  const onSuccess = () => queryClient.invalidateQueries({ queryKey: trpc.signingSecret.pathKey() })
  const rotate = useMutation(trpc.signingSecret.rotate.mutationOptions({ onSuccess }))
  const create = useMutation(trpc.signingSecret.create.mutationOptions({ onSuccess }))
  const made = rotate.data ?? create.data
  const error = rotate.error ?? create.error
  const isBusy = rotate.isPending || create.isPending

  if (made) {
    return (
      <ShownOnce what="signing secret" text={made.secret} onDone={onClose}>
        Give it to the code that verifies calls, beside the one it has. Calls carry a signature of each.
      </ShownOnce>
    )
  }
  return (
    <div className="grid gap-4">
      <p className="text-muted">
        Rotate, and the secrets before it end in 24 hours. Add one, and they go on beside it until you end
        them.
      </p>
      {error && (
        <Notice tone="bad" alert>
          {problemWords(error)}
        </Notice>
      )}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button busy={isBusy} onClick={() => create.mutate(place)}>
          Add beside
        </Button>
        <Button variant="primary" busy={isBusy} onClick={() => rotate.mutate(place)}>
          Rotate now
        </Button>
      </div>
    </div>
  )
}
