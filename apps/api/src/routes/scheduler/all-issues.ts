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
  const readable: unknown = structuredClone(sent)
  for (const { field } of found) remove(readable, field)
  const job = jobOf(readable as PartialSchedulation)
  const issues = await moreJobIssues(ctx, job, [], true)
  return issues
    .filter(({ field }) => !isMissing(job, field))
    .map(issue => inSchedulerWords(issue, stepsPlace(sent)))
    .filter(({ field }) => !found.some(one => isWithin(field, one.field)))
}

function stepsPlace(sent: object): StepsPlace {
  return 'steps' in sent ? 'steps' : 'pipeline.steps'
}

/** What must be given the schema has missed already, where it was not merely unreadable. */
function isMissing(job: object, field: string): boolean {
  return (field === 'cron' || field === 'url' || field === 'image') && !(field in job)
}

/** Takes what lies at a path such as `steps[1].headers.X-A` out of a value; of a list, it leaves a gap. */
function remove(value: unknown, path: string): void {
  if (Array.isArray(value)) {
    const [, index = '', rest = ''] = /^\[(\d+)\]\.?(.*)$/s.exec(path) ?? []
    if (index === '') return
    if (rest === '') value[Number(index)] = undefined
    else remove(value[Number(index)], rest)
    return
  }
  if (typeof value !== 'object' || value === null) return
  for (const [name, inner] of Object.entries(value)) {
    if (path === name) Reflect.deleteProperty(value, name)
    else if (path.startsWith(`${name}.`)) remove(inner, path.slice(name.length + 1))
    else if (path.startsWith(`${name}[`)) remove(inner, path.slice(name.length))
  }
}

/** Whether a field is another or lies within it. */
function isWithin(field: string, other: string): boolean {
  return field === other || field.startsWith(`${other}.`) || field.startsWith(`${other}[`)
}
