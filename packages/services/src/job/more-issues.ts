import {
  type FieldIssue,
  type JobPut,
  jobPut,
  MOST_STEPS,
  type PipelineStep,
  pipelineStep,
} from '@workly/core'
import type { ProjectContext } from '../context.ts'
import { readSettings } from './job-settings.ts'
import { projectRules } from './project-rules.ts'

/** `steps[1].headers` of `steps[1].headers.X-A`, `headers` of `headers.X-A`: the field that a setting is given in. */
const settingOf = (field: string) => /^(steps\[\d+\]\.)?[^.[]*/.exec(field)?.[0] ?? ''

/**
 * What else is wrong with settings of which some could not be read at all: of the rest, what {@link readSettings} says,
 * so that an answer names each offending field at once (spec section 8).
 * @param sent the body as it was sent
 * @param found what its schema has found
 * @param whole whether what is not given is missed too, as in a PUT
 */
export async function moreJobIssues(
  ctx: ProjectContext,
  sent: object,
  found: readonly FieldIssue[],
  whole: boolean,
): Promise<FieldIssue[]> {
  const bad = new Set(found.map(issue => settingOf(issue.field)))
  const readable = Object.entries(sent).filter(([field]) => !bad.has(field) && field !== 'steps')
  const rest = jobPut.safeParse(Object.fromEntries(readable))
  if (!rest.success) return []
  const steps = 'steps' in sent ? readableSteps(sent.steps, bad) : null
  const input: JobPut = { ...rest.data, ...(steps && { steps }) }
  const { services } = ctx
  const { limits } = await projectRules(services.sql, ctx)
  const issues: FieldIssue[] = []
  readSettings(input, {}, services, limits, 0, issues)
  return issues.filter(issue => {
    const setting = settingOf(issue.field)
    const [top = ''] = setting.split('[')
    return !bad.has(setting) && (whole || top in sent) && !isFormMissed(setting, bad)
  })
}

/** What can be read of each step, with stand-ins for the rest; null where there is no list of steps. */
function readableSteps(sent: unknown, bad: Set<string>): PipelineStep[] | null {
  if (!Array.isArray(sent)) return null
  return sent.slice(0, MOST_STEPS).map((step: unknown, i) => {
    const standIn = { id: `unread ${i}`, url: 'https://unread.invalid/' }
    if (typeof step !== 'object' || step === null) return standIn
    const readable = Object.entries(step).filter(([field]) => !bad.has(`steps[${i}].${field}`))
    const rest = pipelineStep.partial().safeParse(Object.fromEntries(readable))
    return rest.success ? { ...rest.data, id: rest.data.id ?? standIn.id } : standIn
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
