'use client'

import { errorOf, errorOfName, type FormErrors } from '#features/job/draft-issues.ts'
import { Button } from '#ui/button.tsx'
import { TextInput } from '#ui/field.tsx'
import { FieldError } from '#ui/field-error.tsx'
import { useRows } from './rows.ts'
import type { ValueDraft } from './target-draft.ts'

interface ValueFieldsProps {
  /** `Headers` or `Environment variables`. */
  legend: string
  /** `header` or `variable`. */
  thing: string
  placeholder: string
  /** The API's path, such as `steps[1].headers`. */
  field: string
  values: ValueDraft[]
  errors: FormErrors
  onChange: (values: ValueDraft[]) => void
}

/** Named values, one row each; a secret is written and never read back. */
export function ValueFields(props: ValueFieldsProps) {
  const { legend, thing, placeholder, field, values, errors, onChange } = props
  const rows = useRows(values, onChange)
  const whole = errorOf(errors, field)
  const nameless = errors.find(issue => isOfNoRow(issue.field, field, values))?.message
  return (
    <fieldset className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-2">
      <legend className="mb-1 text-[13px] font-medium">{legend}</legend>
      {values.map((value, index) => (
        <ValueRow
          key={value.key}
          value={value}
          thing={thing}
          number={index + 1}
          placeholder={placeholder}
          id={`${field}-${value.key}`}
          error={errorOfName(errors, field, value.name.trim())}
          isInvalid={whole !== undefined}
          onChange={part => rows.change(value.key, part)}
          onRemove={() => rows.remove(value.key)}
        />
      ))}
      <FieldError id={`${field}-error`} message={whole ?? nameless} />
      <div>
        <Button
          icon="plus"
          onClick={() => rows.add({ name: '', value: '', isSecret: false, isStored: false })}
        >
          Add {thing}
        </Button>
      </div>
    </fieldset>
  )
}

/** Said of a name that no row has now. */
function isOfNoRow(path: string, field: string, values: readonly ValueDraft[]): boolean {
  if (!path.startsWith(`${field}.`)) return false
  return !values.some(
    ({ name }) => errorOfName([{ field: path, message: '' }], field, name.trim()) !== undefined,
  )
}

interface ValueRowProps {
  value: ValueDraft
  thing: string
  number: number
  placeholder: string
  id: string
  error: string | undefined
  isInvalid: boolean
  onChange: (part: Partial<ValueDraft>) => void
  onRemove: () => void
}

function ValueRow(props: ValueRowProps) {
  const { value, thing, number, placeholder, id, error, isInvalid, onChange, onRemove } = props
  const describedBy = error && `${id}-error`
  return (
    <div className="grid gap-1 max-sm:border-l-2 max-sm:border-line max-sm:pl-2.5">
      <div className="grid grid-cols-[minmax(0,1fr)_max-content] items-center gap-2 sm:grid-cols-[minmax(0,2fr)_minmax(0,3fr)_max-content_max-content]">
        <TextInput
          aria-label={`Name of ${thing} ${number}`}
          aria-invalid={isInvalid || error !== undefined}
          aria-describedby={describedBy}
          value={value.name}
          placeholder={placeholder}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          // A stored secret belongs to its name: under another it would have to be sent again.
          readOnly={value.isStored}
          onChange={event => onChange({ name: event.target.value })}
          className="max-sm:col-span-2"
        />
        <TextInput
          aria-label={`Value of ${thing} ${number}`}
          aria-describedby={describedBy}
          type={value.isSecret ? 'password' : 'text'}
          value={value.value}
          placeholder={value.isStored ? 'Stored; type to replace it' : ''}
          autoComplete="off"
          spellCheck={false}
          onChange={event => onChange({ value: event.target.value })}
          className="max-sm:col-span-2"
        />
        <label className="control flex items-center gap-1.5 text-[13px]">
          <input
            type="checkbox"
            checked={value.isSecret}
            disabled={value.isStored}
            onChange={event => onChange({ isSecret: event.target.checked })}
            className="size-4 accent-accent"
          />
          Secret
        </label>
        <Button variant="quiet" icon="trash" iconOnly onClick={onRemove}>
          {`Remove ${thing} ${number}`}
        </Button>
      </div>
      <FieldError id={`${id}-error`} message={error} />
    </div>
  )
}
