'use client'

import { Field, Select } from '#ui/field.tsx'
import { TextField } from '#ui/text-field.tsx'
import { errorAt, type FormErrors } from './draft-issues.ts'
import type { RetryDraft } from './retry-draft.ts'

const NUMBERS = [
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
] as const

interface RetryFieldsProps {
  draft: RetryDraft
  /** What stands before the API's paths of the fields; empty for the job's own. */
  place: string
  errors: FormErrors
  /** What an empty choice means; null where it cannot be empty. */
  otherwise: string | null
  onChange: (part: Partial<RetryDraft>) => void
}

/** How often to try again, and how long to wait in between. */
export function RetryFields({ draft, place, errors, otherwise, onChange }: RetryFieldsProps) {
  const isStep = place !== ''
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        {NUMBERS.map(({ key, field, label, range, standard }) => (
          <TextField
            key={key}
            id={place + key}
            label={label}
            hint={range}
            error={errorAt(errors, place + field)}
            value={draft[key]}
            inputMode="decimal"
            placeholder={isStep ? 'as the job' : standard}
            onChange={event => onChange({ [key]: event.target.value })}
          />
        ))}
      </div>
      <Field
        id={`${place}retryOn4xx`}
        label="Try again after other 4xx answers than 408 and 429"
        error={errorAt(errors, `${place}retry_on_4xx`)}
      >
        <Select
          id={`${place}retryOn4xx`}
          value={draft.retryOn4xx}
          onChange={event => {
            const { value } = event.target
            onChange({ retryOn4xx: value === 'yes' || value === 'no' ? value : '' })
          }}
        >
          {otherwise !== null && <option value="">{otherwise}</option>}
          <option value="no">No: the run fails</option>
          <option value="yes">Yes</option>
        </Select>
      </Field>
    </>
  )
}
