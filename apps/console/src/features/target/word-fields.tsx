'use client'

import { errorAt, errorOf, type FormErrors } from '#features/job/draft-issues.ts'
import { Button } from '#ui/button.tsx'
import { TextArea } from '#ui/field.tsx'
import { FieldError } from '#ui/field-error.tsx'
import { useRows } from './rows.ts'
import type { WordDraft } from './target-draft.ts'

interface WordFieldsProps {
  legend: string
  hint: string
  /** `argument` and the like. */
  thing: string
  /** The API's path, such as `image.args`. */
  field: string
  words: WordDraft[]
  errors: FormErrors
  onChange: (words: WordDraft[]) => void
}

/** Strings in their order, a row each; one may hold several lines, such as a script. */
export function WordFields({ legend, hint, thing, field, words, errors, onChange }: WordFieldsProps) {
  const rows = useRows(words, onChange)
  return (
    <fieldset className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-2">
      <legend className="mb-1 text-[13px] font-medium">{legend}</legend>
      {words.length > 0 && <p className="text-[13px] text-muted">{hint}</p>}
      {words.map((word, index) => {
        const error = errorAt(errors, `${field}[${index}]`)
        const id = `${field}-${word.key}`
        return (
          <div key={word.key} className="grid gap-1">
            <div className="grid grid-cols-[minmax(0,1fr)_max-content] items-start gap-2">
              <TextArea
                rows={1}
                aria-label={`${thing} ${index + 1}`}
                aria-invalid={error !== undefined}
                aria-describedby={error && `${id}-error`}
                value={word.text}
                autoComplete="off"
                autoCapitalize="off"
                spellCheck={false}
                onChange={event => rows.change(word.key, { text: event.target.value })}
                className="field-sizing-content resize-none"
              />
              <Button variant="quiet" icon="trash" iconOnly onClick={() => rows.remove(word.key)}>
                {`Remove ${thing} ${index + 1}`}
              </Button>
            </div>
            <FieldError id={`${id}-error`} message={error} />
          </div>
        )
      })}
      <FieldError id={`${field}-error`} message={errorOf(errors, field)} />
      <div>
        <Button icon="plus" onClick={() => rows.add({ text: '' })}>
          Add {thing}
        </Button>
      </div>
    </fieldset>
  )
}
