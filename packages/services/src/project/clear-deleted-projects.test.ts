import { afterAll, beforeAll, expect, test } from 'vitest'
import { auditRows, makeTenant, openServices, type TestServices } from '../../test/tenants.ts'
import { createApiKey } from '../api-key/create-api-key.ts'
import { clearDeletedJobs } from '../job/clear-deleted-jobs.ts'
import { deleteJob } from '../job/delete-job.ts'
import { putJob } from '../job/put-job.ts'
import { triggerJob } from '../job/trigger-job.ts'
import { createSigningSecret } from '../signing-secret/create-signing-secret.ts'
import { clearDeletedProjects } from './clear-deleted-projects.ts'
import { deleteProject } from './delete-project.ts'

let t: TestServices
beforeAll(async () => {
  t = await openServices()
})
afterAll(() => t.drop())

async function clear(): Promise<number[]> {
  const removed: number[] = []
  for await (const n of clearDeletedProjects(t.services)) removed.push(n)
  return removed
}

/** Tables that refer to a project. */
async function tables(): Promise<string[]> {
  const rows = await t.sql<{ name: string }[]>`
    select distinct conrelid::regclass::text as name from pg_constraint
    where contype = 'f' and confrelid = 'projects'::regclass order by 1`
  return rows.map(row => row.name)
}

async function rowsOf(table: string, projectId: string): Promise<number> {
  const [row] = await t.sql<{ n: number }[]>`
    select count(*)::int as n from ${t.sql(table)} where project_id = ${projectId}`
  return row?.n ?? 0
}

/** A deleted project that has had a row in every table that it could have, but for its jobs, which are deleted too. */
async function deletedProject() {
  const tenant = await makeTenant(t.services)
  const { as, organizationId, projectId } = tenant
  await putJob(as('owner'), 'report', { cron: '0 3 * * *', url: 'https://example.com/report' })
  await triggerJob(as('owner'), 'report')
  await createApiKey(as('owner'), { name: 'key', scope: 'read' })
  await createSigningSecret(as('owner'))
  await t.sql`
    insert into idempotency_keys (organization_id, project_id, method, path, key, body_hash, created_at)
    select ${organizationId}, ${projectId}, 'POST', '/v1/jobs/x/trigger', i::text, '', ${t.now()}
    from generate_series(1, 1500) i`
  await t.sql`
    insert into alert_rules (id, organization_id, project_id, name, condition, channels, created_at, updated_at)
    values (${`rule_${projectId}`}, ${organizationId}, ${projectId}, 'rule', '{}', '{}', ${t.now()}, ${t.now()})`
  await t.sql`
    insert into incidents (id, organization_id, alert_rule_id, job_id, opened_at)
    values (${`inc_${projectId}`}, ${organizationId}, ${`rule_${projectId}`}, 'job', ${t.now()})`
  await deleteJob(as('owner'), 'report')
  await deleteProject(as('owner'))
  return tenant
}

test('every row of a deleted project goes once its jobs have gone, but its audit log; other projects stay', async () => {
  const kept = await makeTenant(t.services)
  const { organizationId, projectId } = await deletedProject()
  expect(await clear()).toEqual([0])
  for await (const _ of clearDeletedJobs(t.services));
  // Every table but those of containers, which other tests fill, has a row to lose.
  const others = (await tables()).filter(name => !['jobs', 'runs', 'container_handles'].includes(name))
  for (const table of others) expect([table, await rowsOf(table, projectId)]).not.toEqual([table, 0])
  expect(await clear()).toEqual([1000, 501, 0])
  for (const table of await tables()) expect([table, await rowsOf(table, projectId)]).toEqual([table, 0])
  const projects = await t.sql<{ id: string }[]>`select id from projects`
  expect(projects.map(p => p.id)).toEqual([kept.projectId])
  expect((await auditRows(t.sql, organizationId)).map(line => line.action)).toContain('project.delete')
})

test('a project stays while a container of its jobs may still run', async () => {
  const { organizationId, projectId } = await deletedProject()
  for await (const _ of clearDeletedJobs(t.services));
  const handle = {
    id: 'con_1',
    organization_id: organizationId,
    project_id: projectId,
    job_id: 'job',
    run_id: 'run',
    attempt_id: 'att',
  }
  await t.sql`insert into container_handles ${t.sql({ ...handle, executor: 'docker', namespace: '', name: 'c', created_at: t.now(), deadline_at: t.now() })}`
  expect(await clear()).toEqual([0])
  await t.sql`delete from container_handles`
  expect(await clear()).toEqual([1000, 501, 0])
})
