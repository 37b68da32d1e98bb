'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { problemWords } from '#features/job/use-job-actions.ts'
import { useProjectInput, useRefusal } from '#features/project/project-scope.tsx'
import { useTRPC } from '#trpc/client.tsx'
import type { ShownRun } from '#trpc/router.ts'
import { useAnnounce } from '#ui/announcer.tsx'
import { Button } from '#ui/button.tsx'
import { failedStep, legalActions } from './run-facts.ts'

/** Retry and Cancel, each where the run's state allows it; of a pipeline also from the step that failed. */
export function RunActions({ run }: { run: ShownRun }) {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const announce = useAnnounce()
  const place = useProjectInput()
  const refusal = useRefusal('run')
  const legal = legalActions(run.state)
  const failed = failedStep(run.steps)

  const rest = {
    onError: (error: unknown) => announce('bad', problemWords(error)),
    onSettled: () => queryClient.invalidateQueries({ queryKey: trpc.run.pathKey() }),
  }
  const retry = useMutation(
    trpc.run.retry.mutationOptions({
      ...rest,
      onSuccess: () => announce('good', 'The run is delivered again.'),
    }),
  )
  const cancel = useMutation(
    trpc.run.cancel.mutationOptions({
      ...rest,
      onSuccess: ({ isGone }) =>
        announce(
          'good',
          isGone ? 'The run is cancelled.' : 'The run is cancelled; its container is being removed.',
        ),
    }),
  )
  const input = { ...place, id: run.id }

  return (
    <>
      {legal.retry && failed && (
        <Button
          icon="retry"
          variant="primary"
          busy={retry.isPending}
          reason={refusal}
          onClick={() => retry.mutate({ ...input, fromStep: 'failed' })}
        >
          {`Retry from ${failed.id}`}
        </Button>
      )}
      {legal.retry && (
        <Button
          icon="retry"
          variant={failed ? 'secondary' : 'primary'}
          busy={retry.isPending}
          reason={refusal}
          onClick={() => retry.mutate(input)}
        >
          {failed ? 'Retry all steps' : 'Retry'}
        </Button>
      )}
      {legal.cancel && (
        <Button icon="stop" busy={cancel.isPending} reason={refusal} onClick={() => cancel.mutate(input)}>
          Cancel run
        </Button>
      )}
    </>
  )
}
