'use client'

import { useRef } from 'react'
import { Button } from '#ui/button.tsx'
import { TextInput } from '#ui/field.tsx'
import { Icon } from '#ui/icon.tsx'
import type { HeaderDraft } from './job-draft.ts'
import type { PartProps } from './job-form.tsx'

/** The headers of the request, one row each; a secret's value is written and never read back. */
export function HeaderFields({ draft, errors, onChange }: PartProps) {
  const made = useRef(0)

  function change(key: string, part: Partial<HeaderDraft>) {
    onChange({ headers: draft.headers.map(header => (header.key === key ? { ...header, ...part } : header)) })
  }

  function add() {
    made.current += 1
    const key = `new-${made.current}`
    onChange({ headers: [...draft.headers, { key, name: '', value: '', isSecret: false, isStored: false }] })
  }

  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1 text-[13px] font-medium">Headers</legend>
      {draft.headers.map((header, index) => (
        <HeaderRow
          key={header.key}
          header={header}
          number={index + 1}
          isInvalid={errors.headers !== undefined}
          onChange={part => change(header.key, part)}
          onRemove={() => onChange({ headers: draft.headers.filter(other => other.key !== header.key) })}
        />
      ))}
      {errors.headers && (
        <p id="headers-error" className="flex gap-1.5 text-[13px] text-bad">
          <Icon name="warning" className="mt-0.5 size-4" />
          {errors.headers}
        </p>
      )}
      <div>
        <Button icon="plus" onClick={add}>
          Add header
        </Button>
      </div>
    </fieldset>
  )
}

interface HeaderRowProps {
  header: HeaderDraft
  number: number
  isInvalid: boolean
  onChange: (part: Partial<HeaderDraft>) => void
  onRemove: () => void
}

function HeaderRow({ header, number, isInvalid, onChange, onRemove }: HeaderRowProps) {
  const describedBy = isInvalid ? 'headers-error' : undefined
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_max-content] items-center gap-2 sm:grid-cols-[minmax(0,2fr)_minmax(0,3fr)_max-content_max-content]">
      <TextInput
        aria-label={`Name of header ${number}`}
        aria-invalid={isInvalid}
        aria-describedby={describedBy}
        value={header.name}
        placeholder="Authorization"
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        // A stored secret belongs to its name: under another it would have to be sent again.
        readOnly={header.isStored}
        onChange={event => onChange({ name: event.target.value })}
        className="max-sm:col-span-2"
      />
      <TextInput
        aria-label={`Value of header ${number}`}
        aria-describedby={describedBy}
        type={header.isSecret ? 'password' : 'text'}
        value={header.value}
        placeholder={header.isStored ? 'Stored; type to replace it' : ''}
        autoComplete="off"
        spellCheck={false}
        onChange={event => onChange({ value: event.target.value })}
        className="max-sm:col-span-2"
      />
      <label className="control flex items-center gap-1.5 text-[13px]">
        <input
          type="checkbox"
          checked={header.isSecret}
          disabled={header.isStored}
          onChange={event => onChange({ isSecret: event.target.checked })}
          className="size-4 accent-accent"
        />
        Secret
      </label>
      <Button variant="quiet" icon="trash" iconOnly onClick={onRemove}>
        {`Remove header ${number}`}
      </Button>
    </div>
  )
}
