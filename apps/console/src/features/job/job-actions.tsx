'use client'

import type { Job } from '@workly/core'
import { editJobPath } from '#features/project/addresses.ts'
import { useProjectInput, useRefusal } from '#features/project/project-scope.tsx'
import { Button, LinkButton } from '#ui/button.tsx'
import { DeleteJob } from './delete-job.tsx'
import { useJobActions } from './use-job-actions.ts'

/** Run now, pause or resume, delete. */
export function JobActions({ job }: { job: Job }) {
  const { input, trigger, pause, resume } = useJobActions(job.name)
  const refusal = useRefusal('run')
  const writeRefusal = useRefusal('write')
  const place = useProjectInput()
  const spent = job.state === 'completed' ? 'It has no times left that a pause could stop.' : undefined
  return (
    <>
      <Button
        variant="primary"
        icon="play"
        busy={trigger.isPending}
        reason={refusal}
        onClick={() => trigger.mutate(input)}
      >
        Run now
      </Button>
      {job.state === 'paused' ? (
        <Button icon="resume" busy={resume.isPending} reason={refusal} onClick={() => resume.mutate(input)}>
          Resume
        </Button>
      ) : (
        <Button
          icon="pause"
          busy={pause.isPending}
          reason={refusal ?? spent}
          onClick={() => pause.mutate(input)}
        >
          Pause
        </Button>
      )}
      {writeRefusal === undefined && (
        <LinkButton href={editJobPath(place, job.name)} icon="edit">
          Edit
        </LinkButton>
      )}
      <DeleteJob name={job.name} />
    </>
  )
}
