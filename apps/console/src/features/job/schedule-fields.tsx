'use client'

import { useMemo } from 'react'
import { Card } from '#ui/card.tsx'
import { describedBy, Field, Select, TextInput } from '#ui/field.tsx'
import { errorAt } from './draft-issues.ts'
import type { JobDraft } from './job-draft.ts'
import type { PartProps } from './job-form.tsx'

/** When: at times of the clock, every n minutes or once, and on whose clocks. */
export function ScheduleFields({ isNew, ...part }: PartProps & { isNew: boolean }) {
  const { draft, errors, onChange } = part
  const wrong = {
    interval_minutes: errorAt(errors, 'interval_minutes'),
    at: errorAt(errors, 'at'),
  }
  return (
    <Card title="Schedule">
      <div className="grid gap-4">
        <WhenChoice when={draft.when} onChange={when => onChange({ when })} />
        {draft.when === 'cron' && <CronField {...part} />}
        {draft.when === 'interval' && (
          <Field
            id="interval"
            label="Minutes between two runs"
            hint="Elapsed minutes, counted from the job’s creation or from “Not before”: clocks that change do not move it."
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
        <BoundFields {...part} />
        {isNew && (
          <label className="control flex items-center gap-2">
            <input
              type="checkbox"
              checked={draft.executeNow}
              onChange={event => onChange({ executeNow: event.target.checked })}
              className="size-4 accent-accent"
            />
            Also run once as soon as it is created
          </label>
        )}
      </div>
    </Card>
  )
}

const DIALECTS = {
  standard: {
    words: 'Standard: five fields',
    hint: 'Minute, hour, day of month, month, day of week: 0 9 * * mon-fri is weekdays at 09:00.',
  },
  extended: {
    words: 'Extended: also seconds and years',
    hint: 'Five fields, six with seconds in front, seven with a year behind, ? in a day field: 30 0 9 ? * mon-fri is weekdays at 09:00:30.',
  },
} as const

/** The expression, and how it is read. */
function CronField({ draft, errors, onChange }: PartProps) {
  const wrong = { cron: errorAt(errors, 'cron'), dialect: errorAt(errors, 'dialect') }
  return (
    <div className="grid gap-4 sm:grid-cols-[minmax(0,1fr)_max-content]">
      <Field id="cron" label="Cron expression" hint={DIALECTS[draft.dialect].hint} error={wrong.cron}>
        <TextInput
          id="cron"
          value={draft.cron}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          aria-invalid={wrong.cron !== undefined}
          aria-describedby={describedBy('cron', wrong.cron)}
          onChange={event => onChange({ cron: event.target.value })}
          className="font-mono"
        />
      </Field>
      <Field id="dialect" label="Read as" error={wrong.dialect}>
        <Select
          id="dialect"
          value={draft.dialect}
          aria-invalid={wrong.dialect !== undefined}
          aria-describedby={describedBy('dialect', wrong.dialect, false)}
          onChange={event =>
            onChange({ dialect: event.target.value === 'extended' ? 'extended' : 'standard' })
          }
        >
          {Object.entries(DIALECTS).map(([dialect, { words }]) => (
            <option key={dialect} value={dialect}>
              {words}
            </option>
          ))}
        </Select>
      </Field>
    </div>
  )
}

/** Between which instants the schedule has times; runs by hand are not bound. */
function BoundFields({ draft, errors, onChange }: PartProps) {
  const bounds = [
    { field: 'from', label: 'Not before (optional)', hint: HINTS[draft.when] },
    { field: 'to', label: 'Not after (optional)', hint: 'The last instant that counts, itself included.' },
  ] as const
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {bounds.map(({ field, label, hint }) => {
        const wrong = errorAt(errors, field)
        return (
          <Field key={field} id={field} label={label} hint={hint} error={wrong}>
            <TextInput
              id={field}
              value={draft[field]}
              autoComplete="off"
              spellCheck={false}
              placeholder={field === 'from' ? '2027-01-01T00:00:00Z' : '2027-12-31T23:59:59Z'}
              aria-invalid={wrong !== undefined}
              aria-describedby={describedBy(field, wrong)}
              onChange={event => onChange({ [field]: event.target.value })}
              className="font-mono"
            />
          </Field>
        )
      })}
    </div>
  )
}

const BOUND_HINT = 'An instant with its offset from UTC, or Z.'
const HINTS = {
  cron: BOUND_HINT,
  at: BOUND_HINT,
  interval: `${BOUND_HINT} The interval counts from here; this is its first time.`,
} as const

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
