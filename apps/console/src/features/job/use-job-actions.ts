'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useProjectInput } from '#features/project/project-scope.tsx'
import { useTRPC } from '#trpc/client.tsx'
import { publicErrorOf } from '#trpc/query-client.ts'
import { useAnnounce } from '#ui/announcer.tsx'

/** What to say of an action that failed: the server's own words where it gave any. */
export function problemWords(error: unknown): string {
  const known = publicErrorOf(error)
  if (!known) return 'The server cannot be reached. Check your connection and try again.'
  return known.code === 'internal' ? `${known.detail} (${known.request_id})` : known.detail
}

/** Run now, pause, resume and delete of one job; each says what came of it and brings the screen up to date. */
export function useJobActions(name: string) {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const announce = useAnnounce()
  const place = useProjectInput()

  function outcome(words: string) {
    return {
      onSuccess: () => announce('good', words),
      onError: (error: unknown) => announce('bad', `${name}: ${problemWords(error)}`),
      onSettled: () =>
        Promise.all([
          queryClient.invalidateQueries({ queryKey: trpc.job.pathKey() }),
          queryClient.invalidateQueries({ queryKey: trpc.run.pathKey() }),
        ]),
    }
  }

  const trigger = useMutation(trpc.job.trigger.mutationOptions(outcome(`${name}: a run was started.`)))
  const pause = useMutation(trpc.job.pause.mutationOptions(outcome(`${name} is paused.`)))
  const resume = useMutation(trpc.job.resume.mutationOptions(outcome(`${name} is active again.`)))
  const remove = useMutation(
    trpc.job.delete.mutationOptions({
      onSuccess: () => announce('good', `${name} was deleted.`),
    }),
  )
  const input = { ...place, name }
  return { input, trigger, pause, resume, remove }
}
