'use client'

import { FEWEST_STEPS, type FieldIssue } from '@workly/core'
import { HttpFields } from '#features/target/http-fields.tsx'
import { ImageFields } from '#features/target/image-fields.tsx'
import { TestCall } from '#features/target/test-call.tsx'
import { Button } from '#ui/button.tsx'
import { Choice } from '#ui/choice.tsx'
import { Icon } from '#ui/icon.tsx'
import { TextField } from '#ui/text-field.tsx'
import { errorAt, type FormErrors, pathsOf } from './draft-issues.ts'
import type { StepDraft } from './job-draft.ts'
import { RetryFields } from './retry-fields.tsx'

interface StepEditorProps {
  step: StepDraft
  /** What stands before the API's paths of its fields: `steps[1].`. */
  place: string
  number: number
  count: number
  isOpen: boolean
  errors: FormErrors
  storedName: string | null
  onIssues: (issues: FieldIssue[]) => void
  onToggle: () => void
  onMove: (by: -1 | 1) => void
  onRemove: () => void
  /** @param paths the API's paths of what was typed, where they are not those of `part` */
  onChange: (part: Partial<StepDraft>, paths?: string[]) => void
}

/** One step of a pipeline: a line to know it by, and its settings below where it is open. */
export function StepEditor(props: StepEditorProps) {
  const { step, place, number, count, isOpen, onToggle, onMove, onRemove } = props
  const bodyId = `${place}fields`
  const name = step.id || `step ${number}`
  return (
    <li className="min-w-0 rounded-control border border-line">
      <div className="flex flex-wrap items-center gap-x-1 p-1.5">
        <button
          type="button"
          data-focus={`${step.key}-title`}
          aria-expanded={isOpen}
          aria-controls={bodyId}
          onClick={onToggle}
          className="control flex min-w-0 flex-1 basis-52 items-center gap-2 rounded-control px-1.5 text-left hover:bg-sunken"
        >
          <Icon name="chevron" className={`size-4 text-muted ${isOpen ? '' : '-rotate-90'}`} />
          <span className="tnum text-muted">{number}</span>
          <span className="truncate font-medium">{step.id || 'New step'}</span>
          <span className="min-w-0 truncate font-mono text-xs text-muted">{summary(step)}</span>
        </button>
        <span className="flex">
          <Button
            variant="quiet"
            icon="up"
            iconOnly
            data-focus={`${step.key}-up`}
            reason={number === 1 ? 'It is the first.' : undefined}
            onClick={() => onMove(-1)}
          >
            {`Move ${name} up`}
          </Button>
          <Button
            variant="quiet"
            icon="down"
            iconOnly
            data-focus={`${step.key}-down`}
            reason={number === count ? 'It is the last.' : undefined}
            onClick={() => onMove(1)}
          >
            {`Move ${name} down`}
          </Button>
          <Button
            variant="quiet"
            icon="trash"
            iconOnly
            reason={count <= FEWEST_STEPS ? `A pipeline has at least ${FEWEST_STEPS} steps.` : undefined}
            onClick={onRemove}
          >
            {`Remove ${name}`}
          </Button>
        </span>
      </div>
      <div id={bodyId} hidden={!isOpen} className="border-t border-line p-3">
        {isOpen && <StepBody {...props} />}
      </div>
    </li>
  )
}

/** What it does in a line. */
function summary(step: StepDraft): string {
  if (step.kind === 'http') return step.http.url.trim() && `${step.http.method} ${step.http.url.trim()}`
  return step.image.name && `${step.image.name}:${step.image.tag}`
}

const KINDS = [
  { value: 'http', words: 'HTTP request' },
  { value: 'image', words: 'Container image' },
] as const

function StepBody({ step, place, number, errors, storedName, onIssues, onChange }: StepEditorProps) {
  return (
    <fieldset className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-4">
      <legend className="sr-only">Step {number}</legend>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          id={`${place}id`}
          label="Step id"
          hint="Unique in the pipeline; it stands in headers."
          error={errorAt(errors, `${place}id`)}
          value={step.id}
          maxLength={64}
          autoCapitalize="off"
          placeholder="extract"
          onChange={event => onChange({ id: event.target.value })}
        />
        <Choice
          name={`${place}kind`}
          legend="What it runs"
          value={step.kind}
          options={KINDS}
          onChange={kind => onChange({ kind })}
        />
      </div>
      {step.kind === 'http' ? (
        <>
          <HttpFields
            draft={step.http}
            place={place}
            errors={errors}
            onChange={part => onChange({ http: { ...step.http, ...part } }, pathsOf(place, part, true))}
          />
          <TestCall
            draft={step.http}
            place={place}
            storedName={storedName}
            storedStep={step.storedId}
            onIssues={onIssues}
          />
        </>
      ) : (
        <ImageFields
          draft={step.image}
          place={`${place}image.`}
          errors={errors}
          onChange={part => onChange({ image: { ...step.image, ...part } }, pathsOf(`${place}image.`, part))}
        />
      )}
      <label className="control flex items-center gap-2">
        <input
          type="checkbox"
          checked={step.hasOwnRetry}
          onChange={event => onChange({ hasOwnRetry: event.target.checked })}
          className="size-4 accent-accent"
        />
        Retry settings of its own
      </label>
      {step.hasOwnRetry && (
        <RetryFields
          draft={step.retry}
          place={place}
          errors={errors}
          otherwise="As the job"
          onChange={part => onChange({ retry: { ...step.retry, ...part } }, pathsOf(place, part))}
        />
      )}
    </fieldset>
  )
}
