'use client'

import { useMemo } from 'react'
import { Card } from '#ui/card.tsx'
import { Field, TextInput } from '#ui/field.tsx'
import { errorAt } from './draft-issues.ts'
import type { JobDraft } from './job-draft.ts'
import type { PartProps } from './job-form.tsx'

/** When: at times of the clock, every n minutes or once, and on whose clocks. */
export function ScheduleFields(part: PartProps) {
  const { draft, errors, onChange } = part
  const wrong = {
    cron: errorAt(errors, 'cron'),
    interval_minutes: errorAt(errors, 'interval_minutes'),
    at: errorAt(errors, 'at'),
  }
  return (
    <Card title="Schedule">
      <div className="grid gap-4">
        <WhenChoice when={draft.when} onChange={when => onChange({ when })} />
        {draft.when === 'cron' && (
          <Field
            id="cron"
            label="Cron expression"
            hint="Minute, hour, day of month, month, day of week: 0 9 * * mon-fri is weekdays at 09:00."
            error={wrong.cron}
          >
            <TextInput
              id="cron"
              value={draft.cron}
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
              aria-invalid={wrong.cron !== undefined}
              aria-describedby={wrong.cron ? 'cron-hint cron-error' : 'cron-hint'}
              onChange={event => onChange({ cron: event.target.value })}
              className="font-mono"
            />
          </Field>
        )}
        {draft.when === 'interval' && (
          <Field
            id="interval"
            label="Minutes between two runs"
            hint="Elapsed minutes, counted from the job’s creation: clocks that change do not move it."
            error={wrong.interval_minutes}
          >
            <TextInput
              id="interval"
              value={draft.intervalMinutes}
              inputMode="numeric"
              autoComplete="off"
              aria-invalid={wrong.interval_minutes !== undefined}
              aria-describedby={wrong.interval_minutes ? 'interval-hint interval-error' : 'interval-hint'}
              onChange={event => onChange({ intervalMinutes: event.target.value })}
            />
          </Field>
        )}
        {draft.when === 'at' && (
          <Field
            id="at"
            label="Instant"
            hint="With its offset from UTC: 2027-01-15T09:00:00+01:00, or with Z for UTC."
            error={wrong.at}
          >
            <TextInput
              id="at"
              value={draft.at}
              autoComplete="off"
              spellCheck={false}
              aria-invalid={wrong.at !== undefined}
              aria-describedby={wrong.at ? 'at-hint at-error' : 'at-hint'}
              onChange={event => onChange({ at: event.target.value })}
              className="font-mono"
            />
          </Field>
        )}
        <ZoneField {...part} />
      </div>
    </Card>
  )
}

const WHENS = [
  { when: 'cron', words: 'At times of the clock' },
  { when: 'interval', words: 'Every n minutes' },
  { when: 'at', words: 'Once' },
] as const

function WhenChoice({
  when,
  onChange,
}: {
  when: JobDraft['when']
  onChange: (when: JobDraft['when']) => void
}) {
  return (
    <fieldset className="flex flex-wrap gap-x-5 gap-y-1">
      <legend className="mb-1 text-[13px] font-medium">Runs</legend>
      {WHENS.map(choice => (
        <label key={choice.when} className="control flex items-center gap-2">
          <input
            type="radio"
            name="when"
            checked={when === choice.when}
            onChange={() => onChange(choice.when)}
            className="size-4 accent-accent"
          />
          {choice.words}
        </label>
      ))}
    </fieldset>
  )
}

function ZoneField({ draft, errors, onChange }: PartProps) {
  const wrong = { timezone: errorAt(errors, 'timezone') }
  const zones = useMemo(() => ['UTC', ...Intl.supportedValuesOf('timeZone')], [])
  return (
    <Field
      id="timezone"
      label="Time zone"
      hint="An IANA name, such as Europe/Stockholm or UTC."
      error={wrong.timezone}
    >
      <TextInput
        id="timezone"
        value={draft.timezone}
        list="time-zones"
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        aria-invalid={wrong.timezone !== undefined}
        aria-describedby={wrong.timezone ? 'timezone-hint timezone-error' : 'timezone-hint'}
        onChange={event => onChange({ timezone: event.target.value })}
      />
      <datalist id="time-zones" suppressHydrationWarning>
        {zones.map(zone => (
          <option key={zone} value={zone} suppressHydrationWarning />
        ))}
      </datalist>
    </Field>
  )
}
