'use client'

import { Card } from '#ui/card.tsx'
import { Field, Select, TextInput } from '#ui/field.tsx'
import type { DraftField } from './draft-issues.ts'
import type { JobDraft } from './job-draft.ts'
import type { PartProps } from './job-form.tsx'
import { missedWords, overlapWords } from './settings-words.ts'

type NumberKey =
  | 'timeoutSeconds'
  | 'maxAttempts'
  | 'minBackoffSeconds'
  | 'maxBackoffSeconds'
  | 'backoffMultiplier'

const NUMBERS: { key: NumberKey; field: DraftField; label: string; range: string; standard: string }[] = [
  {
    key: 'timeoutSeconds',
    field: 'timeout_seconds',
    label: 'Timeout (seconds)',
    range: '1 to 1800',
    standard: '30',
  },
  { key: 'maxAttempts', field: 'max_attempts', label: 'Attempts', range: '1 to 50', standard: '3' },
  {
    key: 'minBackoffSeconds',
    field: 'min_backoff_seconds',
    label: 'First wait (seconds)',
    range: '0 to 86400',
    standard: '5',
  },
  {
    key: 'maxBackoffSeconds',
    field: 'max_backoff_seconds',
    label: 'Longest wait (seconds)',
    range: '0 to 86400',
    standard: '300',
  },
  {
    key: 'backoffMultiplier',
    field: 'backoff_multiplier',
    label: 'Wait multiplier',
    range: '1 to 10',
    standard: '2',
  },
]

/** By which rules: how long to wait, how often to try again, what to do about overlaps and missed times. */
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
        <div className="grid gap-4 sm:grid-cols-2 xl:grid-cols-3">
          {NUMBERS.map(({ key, field, label, range, standard }) => (
            <Field key={key} id={key} label={label} hint={range} error={errors[field]}>
              <TextInput
                id={key}
                value={draft[key]}
                inputMode="decimal"
                autoComplete="off"
                placeholder={standard}
                aria-invalid={errors[field] !== undefined}
                aria-describedby={errors[field] ? `${key}-hint ${key}-error` : `${key}-hint`}
                onChange={event => onChange({ [key]: event.target.value })}
              />
            </Field>
          ))}
        </div>
        <label className="control flex items-center gap-2">
          <input
            type="checkbox"
            checked={draft.retryOn4xx}
            onChange={event => onChange({ retryOn4xx: event.target.checked })}
            className="size-4 accent-accent"
          />
          Try again after other 4xx answers than 408 and 429 too
        </label>
        <PolicyFields {...part} />
      </div>
    </Card>
  )
}

function PolicyFields({ draft, errors, onChange, isNew }: PartProps & { isNew: boolean }) {
  return (
    <>
      <Field id="overlap" label="When a run is due while another is going" error={errors.overlap}>
        <Select
          id="overlap"
          value={draft.overlap}
          onChange={event => onChange({ overlap: event.target.value as JobDraft['overlap'] })}
        >
          {isNew && <option value="">The project’s default</option>}
          {(['skip', 'queue', 'allow'] as const).map(choice => (
            <option key={choice} value={choice}>
              {overlapWords(choice)}
            </option>
          ))}
        </Select>
      </Field>
      <Field id="missed" label="When times were missed" error={errors.missed}>
        <Select
          id="missed"
          value={draft.missed}
          onChange={event => onChange({ missed: event.target.value as JobDraft['missed'] })}
        >
          {isNew && <option value="">The project’s default</option>}
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
