'use client'

import { errorAt, errorOf, type FormErrors } from '#features/job/draft-issues.ts'
import { Choice } from '#ui/choice.tsx'
import { FieldError } from '#ui/field-error.tsx'
import { TextField } from '#ui/text-field.tsx'
import { SourceFields } from './source-fields.tsx'
import type { ImageDraft } from './target-draft.ts'
import { ValueFields } from './value-fields.tsx'
import { WordFields } from './word-fields.tsx'

export interface ImageFieldsProps {
  draft: ImageDraft
  /** What stands before the API's paths of the fields: `image.` or `steps[1].image.`. */
  place: string
  errors: FormErrors
  onChange: (part: Partial<ImageDraft>) => void
}

/** A container image: which, with what command and environment, and what ends it. */
export function ImageFields({ draft, place, errors, onChange }: ImageFieldsProps) {
  return (
    <div className="grid gap-4">
      <FieldError id={`${place}error`} message={errorOf(errors, place.replace(/\.$/, ''))} />
      <div className="grid gap-4 sm:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        <TextField
          id={`${place}name`}
          label="Image"
          hint="Its path in Workly’s registry, without a host."
          error={errorAt(errors, `${place}name`)}
          value={draft.name}
          autoCapitalize="off"
          placeholder="team/report"
          onChange={event => onChange({ name: event.target.value })}
        />
        <TextField
          id={`${place}tag`}
          label="Tag"
          error={errorAt(errors, `${place}tag`)}
          value={draft.tag}
          autoCapitalize="off"
          placeholder="1.4.0"
          onChange={event => onChange({ tag: event.target.value })}
        />
      </div>
      <WordFields
        legend="Command"
        hint="In place of the image’s own, one string each: the program, then what follows it."
        thing="command string"
        field={`${place}command`}
        words={draft.command}
        errors={errors}
        onChange={command => onChange({ command })}
      />
      <WordFields
        legend="Arguments"
        hint="In place of the image’s own, one each."
        thing="argument"
        field={`${place}args`}
        words={draft.args}
        errors={errors}
        onChange={args => onChange({ args })}
      />
      <ValueFields
        legend="Environment variables"
        thing="variable"
        placeholder="LOG_LEVEL"
        field={`${place}env`}
        values={draft.env}
        errors={errors}
        onChange={env => onChange({ env })}
      />
      <SourceFields
        field={`${place}env_from`}
        sources={draft.envFrom}
        errors={errors}
        onChange={envFrom => onChange({ envFrom })}
      />
      <EndFields draft={draft} place={place} errors={errors} onChange={onChange} />
    </div>
  )
}

const ENDS = [
  { value: 'exit', words: 'When the container exits' },
  { value: 'callback', words: 'When it calls back' },
] as const

function EndFields({ draft, place, errors, onChange }: ImageFieldsProps) {
  return (
    <>
      <Choice
        name={`${place}end`}
        legend="It is done"
        value={draft.end}
        options={ENDS}
        onChange={end => onChange({ end })}
      />
      <p className="text-[13px] text-muted">
        {draft.end === 'exit'
          ? 'Exit code 0 succeeds, any other fails.'
          : 'The variable callbackUri has the URL that the result is to be posted to. An exit code other than 0 before that fails.'}
      </p>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          id={`${place}timeout`}
          label="Deadline (seconds)"
          hint="1 to 604800; then the container is ended"
          error={errorAt(errors, `${place}timeout_seconds`)}
          value={draft.timeoutSeconds}
          inputMode="numeric"
          placeholder="3600"
          onChange={event => onChange({ timeoutSeconds: event.target.value })}
        />
        {draft.end === 'callback' && (
          <TextField
            id={`${place}max-wait`}
            label="Wait for the callback (seconds)"
            hint="1 to 604800, a week; counted from its start"
            error={errorAt(errors, `${place}max_wait_seconds`)}
            value={draft.maxWaitSeconds}
            inputMode="numeric"
            onChange={event => onChange({ maxWaitSeconds: event.target.value })}
          />
        )}
      </div>
    </>
  )
}
