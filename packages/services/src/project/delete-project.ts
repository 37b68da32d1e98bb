import { WorklyError } from '@workly/core'
import { audit } from '../audit.ts'
import { authorize } from '../authorize.ts'
import { type ProjectContext, readClock } from '../context.ts'
import { inOrganization, inProject, lockOrganization, lockProject } from '../tenant-scope.ts'

/**
 * Deletes a project; its API keys are refused from then on and its slug is free again. Its jobs must be deleted before,
 * so that nothing is stopped unseen.
 * @throws WorklyError `forbidden` below admin; `conflict` while it has jobs; `not_found`
 */
export async function deleteProject(ctx: ProjectContext): Promise<void> {
  authorize(ctx, 'admin')
  const { services } = ctx
  await services.sql.begin(async sql => {
    // Jobs are created under the organization's lock too, so none comes in between.
    await lockOrganization(sql, ctx)
    const row = await lockProject(sql, ctx)
    const [jobs] = await sql<{ n: number }[]>`
      select count(*)::int as n from jobs where ${inProject(sql, ctx)} and deleted_at is null`
    if (jobs && jobs.n > 0) {
      const count = jobs.n === 1 ? 'a job' : `${jobs.n} jobs`
      throw new WorklyError('conflict', `The project still has ${count}. Delete first what it holds.`)
    }
    const now = await readClock(services, sql)
    await sql`
      update projects set deleted_at = ${now}, slug = id where ${inOrganization(sql, ctx)} and id = ${row.id}`
    await audit(sql, ctx, now, {
      action: 'project.delete',
      subject: { kind: 'project', id: row.id, name: row.name },
      projectId: row.id,
      before: { slug: row.slug, name: row.name },
    })
  })
}
