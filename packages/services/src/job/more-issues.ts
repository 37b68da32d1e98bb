import { type FieldIssue, type JobPut, jobPut } from '@workly/core'
import type { ProjectContext } from '../context.ts'
import { readSettings } from './job-settings.ts'

const topField = (field: string) => /^[^.[]*/.exec(field)?.[0] ?? ''

/**
 * What else is wrong with settings of which some could not be read at all: of the rest, what {@link readSettings} says,
 * so that an answer names each offending field at once (spec section 8).
 * @param sent the body as it was sent
 * @param found what its schema has found
 * @param whole whether what is not given is missed too, as in a PUT
 */
export function moreJobIssues(
  ctx: ProjectContext,
  sent: object,
  found: readonly FieldIssue[],
  whole: boolean,
): FieldIssue[] {
  const bad = new Set(found.map(issue => topField(issue.field)))
  const rest = jobPut.safeParse(Object.fromEntries(Object.entries(sent).filter(([field]) => !bad.has(field))))
  if (!rest.success) return []
  const { services } = ctx
  const issues: FieldIssue[] = []
  readSettings(rest.data as JobPut, {}, services, services.limits, 0, issues)
  return issues.filter(issue => {
    const field = topField(issue.field)
    return !bad.has(field) && (whole || field in sent) && !isFormMissed(field, bad)
  })
}

/** A form of schedule is only missed where none was given, also none that could not be read; so with the target. */
function isFormMissed(field: string, bad: ReadonlySet<string>): boolean {
  const forms = [
    ['cron', 'interval_minutes', 'at'],
    ['url', 'steps', 'image'],
  ]
  return forms.some(form => form.includes(field) && form.some(other => bad.has(other)))
}
