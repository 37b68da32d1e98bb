import type { FieldIssue } from '../errors.ts'
import type { Dialect } from './cron-field.ts'

/** What to write instead of a refused schedule: the settings that differ from what was sent. */
export interface ScheduleSuggestion {
  cron?: string
  interval_minutes?: number
  /** Given where the expression needs another dialect than the one it was sent in. */
  dialect?: Dialect
  timezone?: string
}

/** A schedule that cannot be: every offending field at once, and an equivalent where a foreign form has one. */
export class ScheduleError extends Error {
  readonly issues: FieldIssue[]
  readonly suggestion: ScheduleSuggestion | null

  constructor(issues: FieldIssue[], suggestion: ScheduleSuggestion | null = null) {
    super(issues.map(i => `${i.field}: ${i.message}`).join(' '))
    this.name = 'ScheduleError'
    this.issues = issues
    this.suggestion = suggestion
  }
}
