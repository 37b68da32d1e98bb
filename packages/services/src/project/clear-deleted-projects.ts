import type { TransactionSql } from '@workly/db'
import type { Services } from '../context.ts'

const KEYS_PER_BATCH = 1_000

/** What a project has beside its jobs and runs, which go with the jobs, in an order that foreign keys allow. */
const TABLES = ['counters', 'api_keys', 'signing_secrets'] as const

interface DeletedProject {
  id: string
  organization_id: string
}

/**
 * Removes the rows of deleted projects behind the deletion, once their jobs and the containers of these are gone: what
 * the project had, and then the project. Its audit log stays. Yields after each batch how many idempotency keys and
 * projects went. A project that anyone has locked is left to the next pass.
 */
export async function* clearDeletedProjects(services: Services): AsyncGenerator<number> {
  for (;;) {
    const removed = await services.sql.begin(async sql => {
      const project = await emptyProject(sql)
      if (!project) return 0
      const { count } = await sql`
        delete from idempotency_keys where (project_id, method, path, key) in (
          select project_id, method, path, key from idempotency_keys where project_id = ${project.id}
          limit ${KEYS_PER_BATCH})`
      if (count === KEYS_PER_BATCH) return count
      await removeProject(sql, project)
      return count + 1
    })
    yield removed
    if (removed === 0) return
  }
}

async function emptyProject(sql: TransactionSql): Promise<DeletedProject | undefined> {
  const [project] = await sql<DeletedProject[]>`
    select id, organization_id from projects p
    where deleted_at is not null
      and not exists (select from jobs j where j.deleted_at is null and j.project_id = p.id)
      and not exists (select from jobs j where j.deleted_at is not null and j.project_id = p.id)
      and not exists (
        select from container_handles c where c.organization_id = p.organization_id and c.project_id = p.id)
    order by id limit 1 for update skip locked`
  return project
}

async function removeProject(sql: TransactionSql, project: DeletedProject): Promise<void> {
  const ofIt = sql`organization_id = ${project.organization_id} and project_id = ${project.id}`
  await sql`
    delete from incidents where (organization_id, alert_rule_id) in (
      select organization_id, id from alert_rules where ${ofIt})`
  await sql`delete from alert_rules where ${ofIt}`
  for (const table of TABLES) await sql`delete from ${sql(table)} where ${ofIt}`
  await sql`delete from projects where organization_id = ${project.organization_id} and id = ${project.id}`
}
