'use client'

import { useMutation } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { jobPath, jobsPath } from '#features/project/addresses.ts'
import { useProjectInput } from '#features/project/project-scope.tsx'
import { useTRPC } from '#trpc/client.tsx'
import { publicErrorOf } from '#trpc/query-client.ts'
import { useAnnounce } from '#ui/announcer.tsx'
import { useViewerZone } from '#ui/clock.tsx'
import { givenSettings } from './draft-settings.ts'
import { emptyDraft } from './job-draft.ts'
import { JobForm } from './job-form.tsx'

/** Makes a job; one of the same name is never overwritten. */
export function NewJobForm() {
  const zone = useViewerZone()
  const trpc = useTRPC()
  const place = useProjectInput()
  const router = useRouter()
  const announce = useAnnounce()
  const create = useMutation(trpc.job.create.mutationOptions())
  return (
    <JobForm
      initial={emptyDraft(zone)}
      isNew
      storedName={null}
      submitLabel="Create job"
      cancelHref={jobsPath(place)}
      isBusy={create.isPending}
      onSubmit={async (settings, { name }) => {
        await create.mutateAsync({ ...place, name, settings: givenSettings(settings) })
        announce('good', `${name} was created.`)
        router.push(jobPath(place, name))
      }}
      explain={error =>
        publicErrorOf(error)?.code === 'precondition_failed'
          ? [{ field: 'name', message: 'A job of this name exists already. Choose another name.' }]
          : null
      }
    />
  )
}
