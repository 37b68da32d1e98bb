'use client'

import { Card } from '#ui/card.tsx'
import { Field, Select } from '#ui/field.tsx'
import { errorAt } from './draft-issues.ts'
import type { JobDraft } from './job-draft.ts'
import type { PartProps } from './job-form.tsx'
import { RetryFields } from './retry-fields.tsx'
import { missedWords, overlapWords } from './settings-words.ts'

const DEFAULT = 'The project’s default'

/** By which rules: how often to try again, what to do about overlaps and missed times. */
export function DeliveryFields(part: PartProps & { isNew: boolean }) {
  const { draft, errors, onChange, isNew } = part
  return (
    <Card title="Delivery">
      <div className="grid gap-4">
        {isNew && (
          <p className="text-[13px] text-muted">
            What is left empty is set to the project’s default, which may differ from the one shown.
          </p>
        )}
        <RetryFields
          draft={draft.retry}
          place=""
          errors={errors}
          otherwise={isNew ? DEFAULT : null}
          onChange={retry => onChange({ retry: { ...draft.retry, ...retry } }, retry)}
        />
        <PolicyFields {...part} />
      </div>
    </Card>
  )
}

function PolicyFields({ draft, errors, onChange, isNew }: PartProps & { isNew: boolean }) {
  return (
    <>
      <Field id="overlap" label="When a run is due while another is going" error={errorAt(errors, 'overlap')}>
        <Select
          id="overlap"
          value={draft.overlap}
          onChange={event => onChange({ overlap: event.target.value as JobDraft['overlap'] })}
        >
          {isNew && <option value="">{DEFAULT}</option>}
          {(['skip', 'queue', 'allow'] as const).map(choice => (
            <option key={choice} value={choice}>
              {overlapWords(choice)}
            </option>
          ))}
        </Select>
      </Field>
      <Field id="missed" label="When times were missed" error={errorAt(errors, 'missed')}>
        <Select
          id="missed"
          value={draft.missed}
          onChange={event => onChange({ missed: event.target.value as JobDraft['missed'] })}
        >
          {isNew && <option value="">{DEFAULT}</option>}
          {(['skip', 'catch_up'] as const).map(choice => (
            <option key={choice} value={choice}>
              {missedWords(choice)}
            </option>
          ))}
        </Select>
      </Field>
    </>
  )
}
