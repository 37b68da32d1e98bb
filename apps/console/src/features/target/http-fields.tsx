'use client'

import { METHODS } from '@workly/core'
import { errorAt, type FormErrors } from '#features/job/draft-issues.ts'
import { useProjectScope } from '#features/project/project-scope.tsx'
import { Choice } from '#ui/choice.tsx'
import { describedBy, Field, Select, TextArea } from '#ui/field.tsx'
import { TextField } from '#ui/text-field.tsx'
import { type HttpDraft, hasNoBody } from './target-draft.ts'
import { ValueFields } from './value-fields.tsx'

export interface HttpFieldsProps {
  draft: HttpDraft
  /** What stands before the API's paths of the fields, such as `steps[1].`; empty for a job's own request. */
  place: string
  errors: FormErrors
  onChange: (part: Partial<HttpDraft>) => void
}

/** An HTTP request: the address to call, how, with what, and when the call counts as done. */
export function HttpFields(props: HttpFieldsProps) {
  const { draft, place, errors, onChange } = props
  const { targetHint } = useProjectScope()
  const methodError = errorAt(errors, `${place}method`)
  return (
    <div className="grid gap-4">
      <div className="grid gap-4 sm:grid-cols-[7.5rem_minmax(0,1fr)]">
        <Field id={`${place}method`} label="Method" error={methodError}>
          <Select
            id={`${place}method`}
            value={draft.method}
            aria-invalid={methodError !== undefined}
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
        <TextField
          id={`${place}url`}
          label="URL"
          hint={targetHint}
          error={errorAt(errors, `${place}url`)}
          type="url"
          value={draft.url}
          placeholder="https://api.example.com/reports/nightly"
          onChange={event => onChange({ url: event.target.value })}
        />
      </div>
      <ValueFields
        legend="Headers"
        thing="header"
        placeholder="Authorization"
        field={`${place}headers`}
        values={draft.headers}
        errors={errors}
        onChange={headers => onChange({ headers })}
      />
      {hasNoBody(draft.method) ? (
        <p className="text-[13px] text-muted">A {draft.method} request has no body, so none is sent.</p>
      ) : (
        <ContentFields {...props} />
      )}
      <ResponseFields {...props} />
    </div>
  )
}

const CONTENTS = [
  { value: 'json', words: 'JSON' },
  { value: 'text', words: 'Text' },
  { value: 'none', words: 'None' },
] as const

function ContentFields(props: HttpFieldsProps) {
  const { draft, place, errors, onChange } = props
  const payloadError = errorAt(errors, `${place}payload`)
  const payloadId = `${place}payload`
  return (
    <>
      <Choice
        name={`${place}content`}
        legend="Body"
        value={draft.content}
        options={CONTENTS}
        onChange={content => onChange({ content })}
      />
      {draft.content === 'json' && (
        <Field
          id={payloadId}
          label="Payload (JSON)"
          hint="Sent as application/json. Leave it empty for no body."
          error={payloadError}
        >
          <TextArea
            id={payloadId}
            rows={5}
            value={draft.payload}
            spellCheck={false}
            placeholder={'{"kind": "daily"}'}
            aria-invalid={payloadError !== undefined}
            aria-describedby={describedBy(payloadId, payloadError)}
            onChange={event => onChange({ payload: event.target.value })}
          />
        </Field>
      )}
      {draft.content === 'text' && <TextContent {...props} />}
    </>
  )
}

function TextContent({ draft, place, errors, onChange }: HttpFieldsProps) {
  const bodyError = errorAt(errors, `${place}body`)
  const bodyId = `${place}body`
  return (
    <>
      <TextField
        id={`${place}content-type`}
        label="Content type"
        error={errorAt(errors, `${place}content_type`)}
        value={draft.contentType}
        placeholder="text/plain; charset=utf-8"
        onChange={event => onChange({ contentType: event.target.value })}
      />
      <Field id={bodyId} label="Body text" hint="Sent as it is." error={bodyError}>
        <TextArea
          id={bodyId}
          rows={5}
          value={draft.body}
          spellCheck={false}
          aria-invalid={bodyError !== undefined}
          aria-describedby={describedBy(bodyId, bodyError)}
          onChange={event => onChange({ body: event.target.value })}
        />
      </Field>
    </>
  )
}

const RESPONSES = [
  { value: 'sync', words: 'When its response arrives' },
  { value: 'callback', words: 'When it calls back' },
] as const

function ResponseFields({ draft, place, errors, onChange }: HttpFieldsProps) {
  return (
    <>
      <Choice
        name={`${place}response`}
        legend="The call is done"
        value={draft.response}
        options={RESPONSES}
        onChange={response => onChange({ response })}
      />
      {draft.response === 'callback' && (
        <p className="text-[13px] text-muted">
          A 2xx then means accepted. The request carries a callback header with the URL that the result is to
          be posted to.
        </p>
      )}
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          id={`${place}timeout`}
          label="Timeout (seconds)"
          hint="For the response: 1 to 1800"
          error={errorAt(errors, `${place}timeout_seconds`)}
          value={draft.timeoutSeconds}
          inputMode="numeric"
          placeholder="30"
          onChange={event => onChange({ timeoutSeconds: event.target.value })}
        />
        {draft.response === 'callback' && (
          <TextField
            id={`${place}max-wait`}
            label="Wait for the callback (seconds)"
            hint="1 to 604800, a week; counted from the 2xx"
            error={errorAt(errors, `${place}response`)}
            value={draft.maxWaitSeconds}
            inputMode="numeric"
            onChange={event => onChange({ maxWaitSeconds: event.target.value })}
          />
        )}
      </div>
    </>
  )
}
