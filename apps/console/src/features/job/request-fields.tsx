'use client'

import { METHODS } from '@workly/core'
import { Card } from '#ui/card.tsx'
import { Field, Select, TextArea, TextInput } from '#ui/field.tsx'
import { type DraftField, hasNoBody, type JobDraft } from './job-draft.ts'

interface RequestFieldsProps {
  draft: JobDraft
  errors: Partial<Record<DraftField, string>>
  onChange: (part: Partial<JobDraft>) => void
}

/** What: the address to call, how, and with what. */
export function RequestFields({ draft, errors, onChange }: RequestFieldsProps) {
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
        <Field
          id="payload"
          label="Payload (JSON)"
          hint={
            hasNoBody(draft.method)
              ? `A ${draft.method} request has no body, so none is sent.`
              : 'Sent as application/json. Leave it empty for no body.'
          }
          error={errors.payload}
        >
          <TextArea
            id="payload"
            rows={5}
            value={draft.payload}
            disabled={hasNoBody(draft.method)}
            spellCheck={false}
            placeholder={'{"kind": "daily"}'}
            aria-invalid={errors.payload !== undefined}
            aria-describedby={errors.payload ? 'payload-hint payload-error' : 'payload-hint'}
            onChange={event => onChange({ payload: event.target.value })}
            className="disabled:opacity-60"
          />
        </Field>
      </div>
    </Card>
  )
}
