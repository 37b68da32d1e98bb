'use client'

import { errorOf, type FormErrors } from '#features/job/draft-issues.ts'
import { Button } from '#ui/button.tsx'
import { Select, TextInput } from '#ui/field.tsx'
import { FieldError } from '#ui/field-error.tsx'
import { useRows } from './rows.ts'
import type { SourceDraft } from './target-draft.ts'

interface SourceFieldsProps {
  /** The API's path, such as `image.env_from`. */
  field: string
  sources: SourceDraft[]
  errors: FormErrors
  onChange: (sources: SourceDraft[]) => void
}

/** Secrets and config maps of the organization, each of whose keys becomes a variable. */
export function SourceFields({ field, sources, errors, onChange }: SourceFieldsProps) {
  const rows = useRows(sources, onChange)
  return (
    <fieldset className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-2">
      <legend className="mb-1 text-[13px] font-medium">Variables from secrets and config maps</legend>
      {sources.length > 0 && (
        <p className="text-[13px] text-muted">
          Each key of the organization’s secret or config map becomes a variable, with the prefix before it.
        </p>
      )}
      {sources.map((source, index) => (
        <SourceRow
          key={source.key}
          source={source}
          number={index + 1}
          place={`${field}[${index}]`}
          errors={errors}
          onChange={part => rows.change(source.key, part)}
          onRemove={() => rows.remove(source.key)}
        />
      ))}
      <FieldError id={`${field}-error`} message={errorOf(errors, field)} />
      <div>
        <Button icon="plus" onClick={() => rows.add({ from: 'secret', name: '', prefix: '' })}>
          Add source
        </Button>
      </div>
    </fieldset>
  )
}

interface SourceRowProps {
  source: SourceDraft
  number: number
  /** Such as `image.env_from[0]`. */
  place: string
  errors: FormErrors
  onChange: (part: Partial<SourceDraft>) => void
  onRemove: () => void
}

function SourceRow({ source, number, place, errors, onChange, onRemove }: SourceRowProps) {
  const nameError = errorOf(errors, `${place}.${source.from}`) ?? errorOf(errors, place)
  const prefixError = errorOf(errors, `${place}.prefix`)
  return (
    <div className="grid gap-1 max-sm:border-l-2 max-sm:border-line max-sm:pl-2.5">
      <div className="grid grid-cols-[minmax(0,1fr)_max-content] items-center gap-2 sm:grid-cols-[9rem_minmax(0,3fr)_minmax(0,2fr)_max-content]">
        <Select
          aria-label={`Kind of source ${number}`}
          value={source.from}
          onChange={event => onChange({ from: event.target.value === 'secret' ? 'secret' : 'config_map' })}
          className="max-sm:col-span-2"
        >
          <option value="secret">Secret</option>
          <option value="config_map">Config map</option>
        </Select>
        <TextInput
          aria-label={`Name of source ${number}`}
          aria-invalid={nameError !== undefined}
          aria-describedby={nameError && `${place}-name-error`}
          value={source.name}
          placeholder="database"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          onChange={event => onChange({ name: event.target.value })}
          className="max-sm:col-span-2"
        />
        <TextInput
          aria-label={`Prefix of source ${number}`}
          aria-invalid={prefixError !== undefined}
          aria-describedby={prefixError && `${place}-prefix-error`}
          value={source.prefix}
          placeholder="Prefix (optional)"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          onChange={event => onChange({ prefix: event.target.value })}
        />
        <Button variant="quiet" icon="trash" iconOnly onClick={onRemove}>
          {`Remove source ${number}`}
        </Button>
      </div>
      <FieldError id={`${place}-name-error`} message={nameError} />
      <FieldError id={`${place}-prefix-error`} message={prefixError} />
    </div>
  )
}
