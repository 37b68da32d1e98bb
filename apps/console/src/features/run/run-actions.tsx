'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { problemWords } from '#features/job/use-job-actions.ts'
import { useProjectInput, useRefusal } from '#features/project/project-scope.tsx'
import { useTRPC } from '#trpc/client.tsx'
import type { ShownRun } from '#trpc/router.ts'
import { useAnnounce } from '#ui/announcer.tsx'
import { Button } from '#ui/button.tsx'
import { legalActions } from './run-facts.ts'

/** Retry and Cancel, each where the run's state allows it. */
export function RunActions({ run }: { run: ShownRun }) {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const announce = useAnnounce()
  const place = useProjectInput()
  const refusal = useRefusal('run')
  const { retry: mayRetry, cancel: mayCancel } = legalActions(run.state)

  function outcome(words: string) {
    return {
      onSuccess: () => announce('good', words),
      onError: (error: unknown) => announce('bad', problemWords(error)),
      onSettled: () => queryClient.invalidateQueries({ queryKey: trpc.run.pathKey() }),
    }
  }
  const retry = useMutation(trpc.run.retry.mutationOptions(outcome('The run is delivered again.')))
  const cancel = useMutation(trpc.run.cancel.mutationOptions(outcome('The run is cancelled.')))
  const input = { ...place, id: run.id }

  return (
    <>
      {mayRetry && (
        <Button
          icon="retry"
          variant="primary"
          busy={retry.isPending}
          reason={refusal}
          onClick={() => retry.mutate(input)}
        >
          Retry
        </Button>
      )}
      {mayCancel && (
        <Button
          icon="stop"
          busy={cancel.isPending || run.cancel_requested_at !== null}
          reason={refusal}
          onClick={() => cancel.mutate(input)}
        >
          Cancel run
        </Button>
      )}
    </>
  )
}
