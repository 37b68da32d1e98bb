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

function merge(row: JobRow, patch: JobPatch): JobPut {
  const merged: JobPut = { ...presentSettings(row) }
  // A pipeline takes the place of a request, and a request with its address that of a pipeline.
  if (isGiven(patch, 'steps')) for (const field of HTTP_FIELDS) delete merged[field]
  else if (isGiven(patch, 'url')) delete merged.steps
  for (const group of EXCLUSIVE) {
    if (group.some(field => isGiven(patch, field))) for (const field of group) delete merged[field]
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
 * Changes only what is given (spec section 8); null puts a setting back to Workly's default, `steps` are replaced whole.
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
