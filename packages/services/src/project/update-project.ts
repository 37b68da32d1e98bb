import { readWire } from '@workly/core'
import { z } from 'zod'
import { audit } from '../audit.ts'
import { authorize } from '../authorize.ts'
import { type ProjectContext, readClock } from '../context.ts'
import { displayName } from '../display-name.ts'
import { inOrganization, lockProject } from '../tenant-scope.ts'
import { type Project, shownProject } from './shown-project.ts'

export const projectUpdate = z.strictObject({ name: displayName })

/**
 * Renames the project. Its slug stays, since it stands in addresses that people have kept.
 * @throws WorklyError `forbidden` below admin; `invalid_request`; `not_found`
 */
export async function updateProject(
  ctx: ProjectContext,
  input: z.input<typeof projectUpdate>,
): Promise<Project> {
  authorize(ctx, 'admin')
  const { name } = readWire(projectUpdate, input)
  const { services } = ctx
  return services.sql.begin(async sql => {
    const row = await lockProject(sql, ctx)
    if (row.name === name) return shownProject(row)
    await sql`update projects set name = ${name} where ${inOrganization(sql, ctx)} and id = ${row.id}`
    await audit(sql, ctx, await readClock(services, sql), {
      action: 'project.update',
      subject: { kind: 'project', id: row.id, name },
      projectId: row.id,
      before: { name: row.name },
      after: { name },
    })
    return shownProject({ ...row, name })
  })
}
