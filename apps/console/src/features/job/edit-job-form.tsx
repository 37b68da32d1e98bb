'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { jobPath } from '#features/project/addresses.ts'
import { useProjectInput } from '#features/project/project-scope.tsx'
import { useTRPC } from '#trpc/client.tsx'
import { publicErrorOf } from '#trpc/query-client.ts'
import type { JobSettings } from '#trpc/router.ts'
import { useAnnounce } from '#ui/announcer.tsx'
import { changedSettings, givenSettings, readDraft } from './draft-settings.ts'
import { draftOf } from './job-draft.ts'
import { JobForm } from './job-form.tsx'

/** An interval without `from` counts from the job's creation cut to the second, not from now (spec section 2). */
function anchorOf({ created_at }: JobSettings['job']): string {
  return `${created_at.slice(0, 19)}Z`
}

/** Changes a job. Where it has changed since this page was opened, nothing is overwritten. */
export function EditJobForm({ settings }: { settings: JobSettings }) {
  // What the page began with; the job itself may be read anew meanwhile.
  const [start] = useState({ ...settings, draft: draftOf(settings) })
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const place = useProjectInput()
  const router = useRouter()
  const announce = useAnnounce()
  const update = useMutation(trpc.job.update.mutationOptions())
  const { name } = start.job
  return (
    <JobForm
      initial={start.draft}
      isNew={false}
      storedName={name}
      submitLabel="Save"
      cancelHref={jobPath(place, name)}
      isBusy={update.isPending}
      anchor={anchorOf(start.job)}
      onSubmit={async now => {
        const patch = changedSettings(readDraft(start.draft).settings, now)
        const change = patch ? { patch } : { put: givenSettings(now) }
        await update.mutateAsync({
          ...place,
          name,
          ifMatch: start.etag,
          ...change,
        })
        await queryClient.invalidateQueries({ queryKey: trpc.job.pathKey() })
        announce('good', `${name} was changed.`)
        router.push(jobPath(place, name))
      }}
      explain={error =>
        publicErrorOf(error)?.code === 'precondition_failed'
          ? [
              {
                field: '',
                message: 'The job has changed since you opened this page. Reload it to go on from there.',
              },
            ]
          : null
      }
    />
  )
}
