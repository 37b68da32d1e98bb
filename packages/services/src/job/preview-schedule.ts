import {
  describeSchedule,
  type FieldIssue,
  formatInstant,
  invalid,
  nextTimes,
  type Preview,
  parseInstant,
  type SchedulePreview,
  scheduleWarnings,
} from '@workly/core'
import { authorize } from '../authorize.ts'
import { type ProjectContext, readClock } from '../context.ts'
import { readSchedule, scheduleFieldsOf } from './job-settings.ts'
import { projectRules } from './project-rules.ts'

/**
 * When a schedule would run, in words and times, with what people usually did not mean (spec section 8).
 * @throws WorklyError `invalid_request` naming each offending field
 */
export async function previewSchedule(ctx: ProjectContext, input: SchedulePreview): Promise<Preview> {
  authorize(ctx, 'read')
  const now = await readClock(ctx.services, ctx.services.sql)
  const { limits, defaults } = await projectRules(ctx.services.sql, ctx)
  const issues: FieldIssue[] = []
  const schedule = readSchedule(
    scheduleFieldsOf(input, defaults.timezone ?? 'UTC'),
    now.getTime(),
    limits,
    issues,
  )
  const after = input.after ? parseInstant(input.after) : now.getTime()
  if (after === null)
    issues.push({
      field: 'after',
      message: 'an RFC 3339 instant with an offset, such as 2026-12-01T02:00:00Z',
    })
  if (issues.length > 0 || !schedule || after === null) throw invalid(issues)
  return {
    next_runs: nextTimes(schedule, after, input.count ?? 5).map(ms => formatInstant(ms)),
    description: describeSchedule(schedule),
    warnings: scheduleWarnings(schedule, now.getTime()),
  }
}
