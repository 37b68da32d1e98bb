'use client'

import { HttpFields } from '#features/target/http-fields.tsx'
import { ImageFields } from '#features/target/image-fields.tsx'
import { TestCall } from '#features/target/test-call.tsx'
import { Card } from '#ui/card.tsx'
import { Choice } from '#ui/choice.tsx'
import { pathsOf } from './draft-issues.ts'
import type { PartProps } from './job-form.tsx'
import { StepFields } from './step-fields.tsx'

const KINDS = [
  { value: 'http', words: 'HTTP request' },
  { value: 'image', words: 'Container image' },
  { value: 'pipeline', words: 'Pipeline of steps' },
] as const

/** What: a request, a container image, or a pipeline of those. */
export function WhatFields(props: PartProps & { storedName: string | null }) {
  const { draft, errors, edit, onIssues, storedName } = props
  const { http, image } = draft.target
  return (
    <Card title="Target">
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <Choice
          name="kind"
          legend="What runs"
          value={draft.kind}
          options={KINDS}
          onChange={kind => edit({ kind }, ['kind'])}
        />
        {draft.kind === 'http' && (
          <>
            <HttpFields
              draft={http}
              place=""
              errors={errors}
              onChange={part =>
                edit({ target: { ...draft.target, http: { ...http, ...part } } }, pathsOf('', part, true))
              }
            />
            <TestCall draft={http} place="" storedName={storedName} storedStep={null} onIssues={onIssues} />
          </>
        )}
        {draft.kind === 'image' && (
          <ImageFields
            draft={image}
            place="image."
            errors={errors}
            onChange={part =>
              edit({ target: { ...draft.target, image: { ...image, ...part } } }, pathsOf('image.', part))
            }
          />
        )}
        {draft.kind === 'pipeline' && <StepFields {...props} />}
      </div>
    </Card>
  )
}
