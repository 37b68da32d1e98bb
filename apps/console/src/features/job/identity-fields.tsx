'use client'

import { Card } from '#ui/card.tsx'
import { Field, TextInput } from '#ui/field.tsx'
import { errorAt } from './draft-issues.ts'
import type { PartProps } from './job-form.tsx'

/** What the job is called, and what it is for. */
export function IdentityFields({ draft, errors, onChange, isNew }: PartProps & { isNew: boolean }) {
  const wrong = {
    name: errorAt(errors, 'name'),
    description: errorAt(errors, 'description'),
    tags: errorAt(errors, 'tags'),
  }
  return (
    <Card title="Job">
      <div className="grid gap-4">
        {isNew && (
          <Field
            id="name"
            label="Name"
            hint="Unique in the project, and it cannot be changed: it stands in addresses and headers."
            error={wrong.name}
          >
            <TextInput
              id="name"
              value={draft.name}
              maxLength={100}
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
              placeholder="nightly-report"
              aria-invalid={wrong.name !== undefined}
              aria-describedby={wrong.name ? 'name-hint name-error' : 'name-hint'}
              onChange={event => onChange({ name: event.target.value })}
            />
          </Field>
        )}
        <Field id="description" label="Description (optional)" error={wrong.description}>
          <TextInput
            id="description"
            value={draft.description}
            maxLength={2_000}
            aria-invalid={wrong.description !== undefined}
            aria-describedby={wrong.description && 'description-error'}
            onChange={event => onChange({ description: event.target.value })}
          />
        </Field>
        <Field
          id="tags"
          label="Tags (optional)"
          hint="Separated by commas, to find jobs by."
          error={wrong.tags}
        >
          <TextInput
            id="tags"
            value={draft.tags}
            autoCapitalize="off"
            aria-invalid={wrong.tags !== undefined}
            aria-describedby={wrong.tags ? 'tags-hint tags-error' : 'tags-hint'}
            onChange={event => onChange({ tags: event.target.value })}
          />
        </Field>
      </div>
    </Card>
  )
}
