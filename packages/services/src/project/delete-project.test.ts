import { afterAll, beforeAll, expect, test } from 'vitest'
import { auditRows, makeTenant, openServices, type TestServices, whoMay } from '../../test/tenants.ts'
import { deleteJob } from '../job/delete-job.ts'
import { putJob } from '../job/put-job.ts'
import { createProject } from './create-project.ts'
import { deleteProject } from './delete-project.ts'
import { getProject } from './get-project.ts'
import { listProjects } from './list-projects.ts'

let t: TestServices
beforeAll(async () => {
  t = await openServices()
})
afterAll(() => t.drop())

const job = { cron: '0 3 * * *', url: 'https://example.com/report' }

test('a project with jobs is not deleted; without them it is, and its slug is free', async () => {
  const { as, organizationId, projectId } = await makeTenant(t.services)
  await putJob(as('owner'), 'report', job)
  await expect(deleteProject(as('admin'))).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('a job'),
  })
  await deleteJob(as('owner'), 'report')
  await deleteProject(as('admin'))
  await expect(getProject(as('owner'), projectId)).rejects.toMatchObject({ code: 'not_found' })
  await expect(deleteProject(as('owner'))).rejects.toMatchObject({ code: 'not_found' })
  expect(await listProjects(as('owner'))).toEqual([])
  await createProject(as('owner'), { slug: 'main', name: 'Main again' })
  const deleted = (await auditRows(t.sql, organizationId)).find(line => line.action === 'project.delete')
  expect(deleted).toMatchObject({ subject_id: projectId, before: { slug: 'main', name: 'Main' } })
})

test('no job comes into a project while it is deleted', async () => {
  for (let round = 0; round < 10; round++) {
    const { as, projectId } = await makeTenant(t.services)
    await Promise.allSettled([putJob(as('owner'), 'report', job), deleteProject(as('owner'))])
    const [row] = await t.sql<{ deleted: boolean; jobs: number }[]>`
      select deleted_at is not null as deleted, (select count(*)::int from jobs where project_id = p.id) as jobs
      from projects p where id = ${projectId}`
    expect(row?.deleted).toBe(row?.jobs === 0)
  }
})

test('only admins and owners delete a project, and another tenant’s is not found', async () => {
  const tenant = await makeTenant(t.services)
  const other = await makeTenant(t.services)
  let made = 0
  const deletes = async (ctx: Parameters<typeof deleteProject>[0]) => {
    made += 1
    const { project } = await createProject(tenant.as('owner'), { slug: `doomed-${made}`, name: 'Doomed' })
    await deleteProject({ ...ctx, projectId: project.id })
  }
  expect(await whoMay(tenant, deletes)).toEqual(['admin', 'owner'])
  const foreign = deleteProject({ ...tenant.as('owner'), projectId: other.projectId })
  await expect(foreign).rejects.toMatchObject({ code: 'not_found' })
})
