'use client'

import { newJobPath } from '#features/project/addresses.ts'
import { useProjectInput, useRefusal } from '#features/project/project-scope.tsx'
import { LinkButton } from '#ui/button.tsx'
import { Code } from '#ui/code.tsx'
import { Empty } from '#ui/empty.tsx'
import { firstJobCommand } from './first-job-command.ts'

/** What an empty project says: what a job is, and two ways to make one. */
export function FirstJob({ url, needsKey }: { url: string; needsKey: boolean }) {
  const place = useProjectInput()
  const refusal = useRefusal('write')
  return (
    <section aria-label="Jobs" className="rounded-card border border-line bg-surface">
      <Empty title="No jobs yet">
        <p>
          A job is a schedule and an address. At each of its times Workly calls the address, signs the call,
          tries again when it fails, and keeps what happened.
        </p>
        {refusal ? (
          <p>{refusal}</p>
        ) : (
          <LinkButton href={newJobPath(place)} variant="primary" icon="plus">
            New job
          </LinkButton>
        )}
        <div className="grid w-full grid-cols-[minmax(0,1fr)] gap-1.5 text-left">
          <p className="text-[13px]">Or from your code or a terminal:</p>
          <Code label="example command" text={firstJobCommand(url, needsKey)} />
          {needsKey && (
            <p className="text-[13px]">The API key is one of this project with the scope write.</p>
          )}
        </div>
      </Empty>
    </section>
  )
}
