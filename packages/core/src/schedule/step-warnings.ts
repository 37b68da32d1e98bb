import type { CronExpression } from './cron-expression.ts'
import { type CronField, DAY_OF_WEEK, type FieldItem, HOUR, MINUTE } from './cron-field.ts'
import type { ScheduleWarning } from './schedule-warning.ts'
import { shownText } from './shown-text.ts'
import { runsOf } from './word-list.ts'

/** What a field counts in, and when it starts anew. */
const CYCLES: ReadonlyMap<string, { unit: string; cycle: string }> = new Map([
  ['second', { unit: 'second', cycle: 'minute' }],
  ['minute', { unit: 'minute', cycle: 'hour' }],
  ['hour', { unit: 'hour', cycle: 'day' }],
  ['month', { unit: 'month', cycle: 'year' }],
  ['day of week', { unit: 'day', cycle: 'week' }],
])

/** Steps that do not do what "every n" suggests: counting starts anew with every hour, day, week or year. */
export function stepWarnings(x: CronExpression): ScheduleWarning[] {
  const fields = [x.second, x.minute, x.hour, x.dayOfMonth, x.month, x.dayOfWeek, x.year]
  return fields.filter(field => field !== null).flatMap(field => [...beyondRange(field), ...uneven(field)])
}

function beyondRange(field: CronField): ScheduleWarning[] {
  const item = field.items.find(({ from, to, step }) => step > 1 && step > to - from)
  if (item === undefined) return []
  const message = `${field.rule.name}: the step ${item.step} in ${shownText(field.text)} goes beyond the range ${item.from}-${item.to}, so that only ${item.from} matches.${useInterval(field, item)}`
  return [{ code: 'step_beyond_range', field: 'cron', message }]
}

/** Only where the step goes through the whole field: a step within `9-17/2` is plainly about those hours. */
function uneven(field: CronField): ScheduleWarning[] {
  const { rule, items, values } = field
  const [item, ...more] = items
  if (item === undefined || more.length > 0 || rule.cycle === null) return []
  const top = rule === DAY_OF_WEEK ? 6 : rule.max
  const whole = item.to >= top && item.from - rule.min < item.step && item.step <= item.to - item.from
  if (!whole || rule.cycle % item.step === 0) return []
  const last = values.at(-1) ?? 0
  const rest = rule.cycle - last + (values[0] ?? 0)
  const { unit, cycle } = CYCLES.get(rule.name) ?? { unit: rule.name, cycle: 'cycle' }
  const message = `${rule.name}: the step ${item.step} in ${shownText(field.text)} starts anew with every ${cycle}: it matches ${runsOf(values, String)}, and from ${last} it is ${rest} ${unit}${rest === 1 ? '' : 's'} to the next.${useInterval(field, item)}`
  return [{ code: 'uneven_step', field: 'cron', message }]
}

function useInterval({ rule }: CronField, { step }: FieldItem): string {
  const minutes = rule === MINUTE ? step : rule === HOUR ? step * 60 : null
  return minutes === null ? '' : ` For every ${step} ${rule.name}s use interval_minutes: ${minutes}.`
}
