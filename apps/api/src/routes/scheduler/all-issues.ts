import { type FieldIssue, invalid, WorklyError } from '@workly/core'
import { moreJobIssues, type ProjectContext } from '@workly/services'
import { inSchedulerWords, type StepsPlace } from './field-names.ts'
import { jobOf, type PartialSchedulation } from './to-job.ts'

/** An error of a verb in the words of the body that it was given. */
export function schedulerError(error: unknown, sent: object): unknown {
  if (!(error instanceof WorklyError) || error.code !== 'invalid_request') return error
  return invalid(error.issues.map(issue => inSchedulerWords(issue, stepsPlace(sent))))
}

/**
 * What else is wrong with a body of which some could not be read at all, by the rules for jobs: every offending field is
 * named at once (spec section 8).
 * @param found what the body's schema has found
 */
export async function moreSchedulationIssues(
  ctx: ProjectContext,
  sent: object,
  found: readonly FieldIssue[],
): Promise<FieldIssue[]> {
  const bad = new Set(found.map(issue => issue.field))
  const job = jobOf(readable(sent, bad, '') as PartialSchedulation)
  const issues = await moreJobIssues(ctx, job, [], true)
  return issues
    .filter(({ field }) => !isMissing(job, field))
    .map(issue => inSchedulerWords(issue, stepsPlace(sent)))
    .filter(({ field }) => !isWithin(field, bad))
}

function stepsPlace(sent: object): StepsPlace {
  return 'steps' in sent ? 'steps' : 'pipeline.steps'
}

/** What must be given the schema has missed already, where it was not merely unreadable. */
function isMissing(job: object, field: string): boolean {
  return (field === 'cron' || field === 'url' || field === 'image') && !(field in job)
}

/**
 * A value without what is bad in it, by paths such as `steps[1].headers.X-A`; a list keeps a gap in its place. What a
 * request sends is nobody's to look into.
 */
function readable(value: unknown, bad: ReadonlySet<string>, place: string): unknown {
  if (Array.isArray(value)) {
    return value.map((item, i) => {
      const path = `${place}[${i}]`
      return bad.has(path) ? undefined : readable(item, bad, path)
    })
  }
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).flatMap(([name, inner]) => {
    const path = place === '' ? name : `${place}.${name}`
    return bad.has(path) ? [] : [[name, name === 'body' ? inner : readable(inner, bad, path)]]
  })
  return Object.fromEntries(kept) as object
}

/** No path that a schema finds has more parts. */
const MOST_PARTS = 8

/** Whether a field is a bad one or lies within it. */
function isWithin(field: string, bad: ReadonlySet<string>): boolean {
  if (bad.has(field)) return true
  const ends = /[.[]/g
  for (let parts = 0; parts < MOST_PARTS; parts++) {
    const end = ends.exec(field)
    if (end === null) return false
    if (bad.has(field.slice(0, end.index))) return true
  }
  return false
}
