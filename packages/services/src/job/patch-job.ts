import { HTTP_FIELDS, type JobPatch, type JobPut } from '@workly/core'
import { authorize } from '../authorize.ts'
import { type ProjectContext, readClock } from '../context.ts'
import { isGiven } from './is-given.ts'
import { type JobRow, jobListItem, loadJob } from './job-row.ts'
import { type ShownJob, showJob } from './job-view.ts'
import { type Condition, loadForWrite } from './precondition.ts'
import { replaceSettings } from './replace-settings.ts'

/** The job's present settings in the form of a PUT, secrets as masks. */
function presentSettings(row: JobRow): JobPut {
  const { id, name, kind, state, next_run_at, last_run, created_at, updated_at, ...settings } =
    jobListItem(row)
  return settings
}

/** Giving one of these takes the others' place: a job has one form of schedule and one form of body. */
const EXCLUSIVE: readonly (readonly (keyof JobPatch)[])[] = [
  ['cron', 'interval_minutes', 'at'],
  ['payload', 'body'],
]

/** What a job may do, each by the field that it is told by. */
const TARGETS = [['steps'], ['image'], ['url', ...HTTP_FIELDS]] as const

function merge(row: JobRow, patch: JobPatch): JobPut {
  const merged: JobPut = { ...presentSettings(row) }
  // What is given takes the place of what it did before: a request is told by its address.
  const given = TARGETS.find(([field]) => isGiven(patch, field))
  for (const [field, ...more] of TARGETS) {
    if (given && given[0] !== field) for (const other of [field, ...more]) delete merged[other]
  }
  for (const group of EXCLUSIVE) {
    if (group.some(field => isGiven(patch, field))) for (const field of group) delete merged[field]
  }
  // A job has one body in two notations, and a payload of null is JSON: `body: null` takes either away.
  if (patch.body === null && !isGiven(patch, 'payload')) {
    delete merged.payload
    delete merged.content_type
  }
  // A payload is JSON by itself; a content type that came with a body does not carry over to it.
  if (patch.payload !== undefined && patch.content_type === undefined) delete merged.content_type
  if (isGiven(patch, 'at') && patch.missed === undefined) delete merged.missed
  return {
    ...merged,
    ...Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined)),
  }
}

/**
 * Changes only what is given (spec section 8); null puts a setting back to Workly's default, `image` and `steps` are
 * replaced whole. `body: null` leaves the job without a body, also where it was given as `payload`, whose null is JSON.
 * The project's own defaults fill in nothing here (spec section 4).
 * @throws WorklyError `not_found`, `invalid_request`, `precondition_failed`, `forbidden`
 */
export async function patchJob(
  ctx: ProjectContext,
  name: string,
  patch: JobPatch,
  condition: Condition = {},
): Promise<ShownJob & { changed: boolean }> {
  authorize(ctx, 'write')
  return ctx.services.sql.begin(async sql => {
    const found = await loadForWrite(sql, ctx, name, condition)
    const now = await readClock(ctx.services, sql)
    const changed = await replaceSettings(sql, ctx, found, merge(found, patch), false, now)
    const row = await loadJob(sql, ctx, name)
    return { ...showJob(ctx.services, row, now), changed }
  })
}
