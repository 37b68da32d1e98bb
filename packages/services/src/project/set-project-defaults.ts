import { findZone, invalid, policyShape, readWire, retryShape, wholeNumber, wireText } from '@workly/core'
import { z } from 'zod'
import { audit } from '../audit.ts'
import { authorize } from '../authorize.ts'
import { type ProjectContext, readClock } from '../context.ts'
import type { ProjectDefaults } from '../job/job-settings.ts'
import { inOrganization, lockProject } from '../tenant-scope.ts'
import { type Project, shownProject } from './shown-project.ts'

/** All of them at once: what is absent or null has no default of the project's. */
export const projectDefaults = z.strictObject({
  timezone: wireText(100).nullish(),
  timeout_seconds: wholeNumber(1, 1_800).nullish(),
  ...retryShape,
  ...policyShape,
})

/**
 * Sets what jobs of the project get where a PUT or a console create omits it. No job changes until its next PUT (spec
 * section 4).
 * @throws WorklyError `forbidden` below admin; `invalid_request` with the range of each setting; `not_found`
 */
export async function setProjectDefaults(
  ctx: ProjectContext,
  input: z.input<typeof projectDefaults>,
): Promise<Project> {
  authorize(ctx, 'admin')
  const given = readWire(projectDefaults, input)
  // By the rule that schedules are read by, so that a default is never refused later.
  const zone = typeof given.timezone === 'string' ? findZone(given.timezone) : null
  if (zone && 'problem' in zone) throw invalid([{ field: 'timezone', message: zone.problem }])
  const settings: ProjectDefaults = Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== null && value !== undefined),
  )
  const { services } = ctx
  return services.sql.begin(async sql => {
    const row = await lockProject(sql, ctx)
    const { count } = await sql`
      update projects set default_settings = ${sql.json(settings as never)}
      where ${inOrganization(sql, ctx)} and id = ${row.id} and default_settings <> ${sql.json(settings as never)}`
    if (count > 0) {
      await audit(sql, ctx, await readClock(services, sql), {
        action: 'project.set_defaults',
        subject: { kind: 'project', id: row.id, name: row.name },
        projectId: row.id,
        before: row.default_settings,
        after: settings,
      })
    }
    return shownProject({ ...row, default_settings: settings })
  })
}
