'use client'

import { METHODS } from '@workly/core'
import { Card } from '#ui/card.tsx'
import { Field, Select, TextArea, TextInput } from '#ui/field.tsx'
import { HeaderFields } from './header-fields.tsx'
import { hasNoBody, type JobDraft } from './job-draft.ts'
import type { PartProps } from './job-form.tsx'

/** What: the address to call, how, and with what. */
export function RequestFields(part: PartProps) {
  const { draft, errors, onChange } = part
  return (
    <Card title="Target">
      <div className="grid gap-4">
        <div className="grid gap-4 sm:grid-cols-[7.5rem_minmax(0,1fr)]">
          <Field id="method" label="Method" error={errors.method}>
            <Select
              id="method"
              value={draft.method}
              onChange={event => {
                const method = METHODS.find(known => known === event.target.value)
                if (method) onChange({ method })
              }}
            >
              {METHODS.map(method => (
                <option key={method}>{method}</option>
              ))}
            </Select>
          </Field>
          <Field id="url" label="URL" hint="Https, on the public internet." error={errors.url}>
            <TextInput
              id="url"
              type="url"
              value={draft.url}
              autoComplete="off"
              spellCheck={false}
              placeholder="https://api.example.com/reports/nightly"
              aria-invalid={errors.url !== undefined}
              aria-describedby={errors.url ? 'url-hint url-error' : 'url-hint'}
              onChange={event => onChange({ url: event.target.value })}
            />
          </Field>
        </div>
        <HeaderFields {...part} />
        {hasNoBody(draft.method) ? (
          <p className="text-[13px] text-muted">A {draft.method} request has no body, so none is sent.</p>
        ) : (
          <ContentFields {...part} />
        )}
      </div>
    </Card>
  )
}

const CONTENTS = [
  { content: 'json', words: 'JSON' },
  { content: 'text', words: 'Text' },
  { content: 'none', words: 'None' },
] as const satisfies { content: JobDraft['content']; words: string }[]

function ContentFields(part: PartProps) {
  const { draft, errors, onChange } = part
  return (
    <>
      <fieldset className="flex flex-wrap gap-x-5 gap-y-1">
        <legend className="mb-1 text-[13px] font-medium">Body</legend>
        {CONTENTS.map(choice => (
          <label key={choice.content} className="control flex items-center gap-2">
            <input
              type="radio"
              name="content"
              checked={draft.content === choice.content}
              onChange={() => onChange({ content: choice.content })}
              className="size-4 accent-accent"
            />
            {choice.words}
          </label>
        ))}
      </fieldset>
      {draft.content === 'json' && (
        <Field
          id="payload"
          label="Payload (JSON)"
          hint="Sent as application/json. Leave it empty for no body."
          error={errors.payload}
        >
          <TextArea
            id="payload"
            rows={5}
            value={draft.payload}
            spellCheck={false}
            placeholder={'{"kind": "daily"}'}
            aria-invalid={errors.payload !== undefined}
            aria-describedby={errors.payload ? 'payload-hint payload-error' : 'payload-hint'}
            onChange={event => onChange({ payload: event.target.value })}
          />
        </Field>
      )}
      {draft.content === 'text' && <TextContent {...part} />}
    </>
  )
}

function TextContent({ draft, errors, onChange }: PartProps) {
  return (
    <>
      <Field id="content-type" label="Content type" error={errors.content_type}>
        <TextInput
          id="content-type"
          value={draft.contentType}
          autoComplete="off"
          spellCheck={false}
          placeholder="text/plain; charset=utf-8"
          aria-invalid={errors.content_type !== undefined}
          aria-describedby={errors.content_type && 'content-type-error'}
          onChange={event => onChange({ contentType: event.target.value })}
        />
      </Field>
      <Field id="body" label="Body text" hint="Sent as it is." error={errors.body}>
        <TextArea
          id="body"
          rows={5}
          value={draft.body}
          spellCheck={false}
          aria-invalid={errors.body !== undefined}
          aria-describedby={errors.body ? 'body-hint body-error' : 'body-hint'}
          onChange={event => onChange({ body: event.target.value })}
        />
      </Field>
    </>
  )
}
