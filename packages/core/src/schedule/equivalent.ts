import type { ScheduleSuggestion } from './schedule-error.ts'

/** What to write here for something that another scheduler understands, and where the form comes from. */
export interface Equivalent {
  suggestion: ScheduleSuggestion
  /** Empty, or sentences with a space after each. */
  note: string
}

/** A suggestion as the end of a message: "Write `5 3 * * *`." Empty where it holds nothing. */
export function suggestionText(suggestion: ScheduleSuggestion): string {
  const { cron, interval_minutes, dialect, timezone } = suggestion
  if (interval_minutes !== undefined) return `Use interval_minutes: ${interval_minutes}.`
  if (cron === undefined) return ''
  const settings = [
    ...(dialect === undefined ? [] : [`dialect ${dialect}`]),
    ...(timezone === undefined ? [] : [`timezone ${timezone}`]),
  ]
  return `Write \`${cron}\`${settings.length > 0 ? ` with ${settings.join(' and ')}` : ''}.`
}
