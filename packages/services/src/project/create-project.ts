import { readWire, WorklyError } from '@workly/core'
import type { TransactionSql } from '@workly/db'
import { z } from 'zod'
import { audit } from '../audit.ts'
import { type Context, freshId, type ProjectContext, readClock } from '../context.ts'
import { displayName } from '../display-name.ts'
import { insertSigningSecret, type NewSigningSecret } from '../signing-secret/seal-secret.ts'
import { slug } from '../slug.ts'
import { authorizeMember, lockOrganization, organizationScope, type ProjectRow } from '../tenant-scope.ts'
import { type Project, shownProject } from './shown-project.ts'

export const projectCreate = z.strictObject({ slug, name: displayName })

/** With the project's first signing secret, since every call is signed (spec section 6). */
export interface NewProject extends NewSigningSecret {
  project: Project
}

/**
 * Makes a project of the organization.
 * @throws WorklyError `forbidden` below admin; `invalid_request`; `conflict` when the organization has one of that slug
 */
export async function createProject(ctx: Context, input: z.input<typeof projectCreate>): Promise<NewProject> {
  authorizeMember(ctx, 'admin')
  const settings = readWire(projectCreate, input)
  const { services } = ctx
  return services.sql.begin(async sql => {
    await lockOrganization(sql, ctx)
    const made = await insertProject(sql, ctx, await readClock(services, sql), settings)
    if (!made)
      throw new WorklyError('conflict', `There is a project with the slug ${settings.slug}. Choose another.`)
    return made
  })
}

/** Writes a project and its first signing secret; undefined where the slug is taken. */
export async function insertProject(
  sql: TransactionSql,
  ctx: Context,
  at: Date,
  settings: z.output<typeof projectCreate>,
): Promise<NewProject | undefined> {
  const [row] = await sql<ProjectRow[]>`
    insert into projects ${sql({
      ...organizationScope(ctx),
      id: freshId('project', at),
      slug: settings.slug,
      name: settings.name,
      created_at: at,
    })}
    on conflict (organization_id, slug) do nothing returning id, slug, name, default_settings, created_at`
  if (!row) return undefined
  const inside: ProjectContext = { ...ctx, projectId: row.id }
  const secret = await insertSigningSecret(sql, inside, at)
  await audit(sql, ctx, at, {
    action: 'project.create',
    subject: { kind: 'project', id: row.id, name: row.name },
    projectId: row.id,
    after: { slug: row.slug, name: row.name, signing_secret: secret.signing_secret.id },
  })
  return { project: shownProject(row), ...secret }
}
