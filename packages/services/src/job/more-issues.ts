import {
  type FieldIssue,
  type Image,
  image,
  type JobPut,
  jobPut,
  MOST_STEPS,
  type PipelineStep,
  pipelineStep,
} from '@workly/core'
import type { ProjectContext } from '../context.ts'
import { readSettings } from './job-settings.ts'
import { projectRules } from './project-rules.ts'

/** `steps[1].headers` of `steps[1].headers.X-A`, `image.env` of `image.env.A`: the field that a setting is given in. */
const settingOf = (field: string) => /^(steps\[\d+\]\.)?(image\.)?[^.[]*/.exec(field)?.[0] ?? ''

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
  const rest = jobPut.safeParse(readable(sent, bad, ''))
  if (!rest.success) return []
  const steps = 'steps' in sent ? readableSteps(sent.steps, bad) : null
  const container = 'image' in sent ? readableImage(sent.image, bad, '') : null
  const input: JobPut = { ...rest.data, ...(container && { image: container }), ...(steps && { steps }) }
  const { services } = ctx
  const { limits } = await projectRules(services.sql, ctx)
  const issues: FieldIssue[] = []
  readSettings(input, {}, services, limits, 0, issues)
  return issues.filter(issue => {
    const setting = settingOf(issue.field)
    const [top = ''] = setting.split(/[.[]/)
    return !bad.has(setting) && (whole || top in sent) && !isFormMissed(setting, bad)
  })
}

/** As {@link moreJobIssues}, of a body that holds some of a job's settings beside fields of its own: of these fields alone. */
export async function moreIssuesOf(
  fields: readonly string[],
  ctx: ProjectContext,
  sent: object,
  found: readonly FieldIssue[],
): Promise<FieldIssue[]> {
  const own = Object.fromEntries(Object.entries(sent).filter(([field]) => fields.includes(field)))
  const issues = await moreJobIssues(ctx, own, found, true)
  return issues.filter(issue => fields.includes(settingOf(issue.field)))
}

/** The settings at a place that could be read, but those that are read by parts. */
function readable(sent: object, bad: ReadonlySet<string>, place: string): object {
  const settings = Object.entries(sent).filter(
    ([field]) => !bad.has(place + field) && field !== 'steps' && field !== 'image',
  )
  return Object.fromEntries(settings)
}

/** What can be read of each step, with stand-ins for the rest; null where there is no list of steps. */
function readableSteps(sent: unknown, bad: ReadonlySet<string>): PipelineStep[] | null {
  if (!Array.isArray(sent)) return null
  return sent.slice(0, MOST_STEPS).map((step: unknown, i) => {
    const standIn = { id: `unread ${i}`, url: 'https://unread.invalid/' }
    if (typeof step !== 'object' || step === null) return standIn
    const place = `steps[${i}].`
    const rest = pipelineStep.partial().safeParse(readable(step, bad, place))
    if (!rest.success) return standIn
    const container = 'image' in step ? readableImage(step.image, bad, place) : null
    return { ...rest.data, id: rest.data.id ?? standIn.id, ...(container && { image: container }) }
  })
}

/** What can be read of an image, with stand-ins for the rest; null where there is none. */
function readableImage(sent: unknown, bad: ReadonlySet<string>, place: string): Image | null {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return null
  const rest = image.partial().safeParse(readable(sent, bad, `${place}image.`))
  return { name: 'unread', tag: 'unread', ...(rest.success && rest.data) }
}

/** A form of schedule is only missed where none was given, also none that could not be read; so with the target. */
function isFormMissed(field: string, bad: ReadonlySet<string>): boolean {
  const [place = ''] = /^(steps\[\d+\]\.)?/.exec(field) ?? []
  const forms = [
    ['cron', 'interval_minutes', 'at'],
    ['url', 'steps', 'image'],
  ]
  return forms.some(
    form => form.some(one => field === place + one) && form.some(other => bad.has(place + other)),
  )
}
