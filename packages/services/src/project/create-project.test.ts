import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  ADMINS,
  auditRows,
  fresh,
  MEMBERS,
  makeTenant,
  openServices,
  type Tenant,
  type TestServices,
  whoMay,
} from '../../test/tenants.ts'
import { liveSigningSecrets } from '../signing-secret/live-signing-secrets.ts'
import { wireInstant } from '../wire-instant.ts'
import { createProject } from './create-project.ts'
import { getProject } from './get-project.ts'
import { listProjects } from './list-projects.ts'

let t: TestServices
let tenant: Tenant
let other: Tenant
beforeAll(async () => {
  t = await openServices()
  tenant = await makeTenant(t.services)
  other = await makeTenant(t.services)
})
afterAll(() => t.drop())

test('a project comes with its first signing secret, which is not in the audit log', async () => {
  const { as, organizationId } = await makeTenant(t.services)
  t.advance(1)
  const { project, secret, signing_secret } = await createProject(as('admin'), { slug: 'shop', name: 'Shop' })
  expect(project).toEqual({
    id: expect.stringMatching(/^prj_/),
    slug: 'shop',
    name: 'Shop',
    default_settings: {},
    created_at: wireInstant(t.now()),
  })
  const live = await liveSigningSecrets(t.services, t.sql, [project.id], t.now())
  expect(live.get(project.id)).toEqual([secret])
  expect((await listProjects(as('viewer'))).map(p => p.slug)).toEqual(['main', 'shop'])
  const audit = await auditRows(t.sql, organizationId)
  expect(audit.at(-1)).toMatchObject({
    action: 'project.create',
    subject_id: project.id,
    after: { slug: 'shop', name: 'Shop', signing_secret: signing_secret.id },
  })
  expect(JSON.stringify(audit)).not.toContain('whsec_')
})

test('a project is found by id and by slug, with the limits in force', async () => {
  const { projectId, organizationId, as } = tenant
  await t.sql`update organizations set limits = '{"project_calls_in_flight": 7, "host_calls_in_flight": 7}' where id = ${organizationId}`
  await t.sql`update projects set limits = '{"host_calls_in_flight": 3}' where id = ${projectId}`
  const byId = await getProject(as('viewer'), projectId)
  expect(await getProject(as('viewer'), 'main')).toEqual(byId)
  expect(byId.limits).toEqual({ ...t.services.limits, project_calls_in_flight: 7, host_calls_in_flight: 3 })
})

test('a slug is one project’s within an organization, and free in another', async () => {
  const slug = fresh('same')
  const results = await Promise.allSettled([
    createProject(tenant.as('owner'), { slug, name: 'One' }),
    createProject(tenant.as('owner'), { slug, name: 'Two' }),
    createProject(other.as('owner'), { slug, name: 'Three' }),
  ])
  expect(results.map(r => r.status).sort()).toEqual(['fulfilled', 'fulfilled', 'rejected'])
  expect(results[2]?.status).toBe('fulfilled')
  expect(results.find(r => r.status === 'rejected')?.reason).toMatchObject({ code: 'conflict' })
})

test('everybody sees projects, admins make them, and no key does either', async () => {
  expect(await whoMay(tenant, listProjects)).toEqual(MEMBERS)
  expect(await whoMay(tenant, ctx => getProject(ctx, 'main'))).toEqual(MEMBERS)
  expect(await whoMay(tenant, ctx => createProject(ctx, { slug: fresh('table'), name: 'Table' }))).toEqual(
    ADMINS,
  )
})

test('another tenant’s project is not found', async () => {
  const found = getProject(tenant.as('owner'), other.projectId)
  await expect(found).rejects.toMatchObject({ code: 'not_found' })
  expect((await listProjects(tenant.as('owner'))).map(p => p.id)).not.toContain(other.projectId)
})

test('each field that is wrong is named', async () => {
  await expect(createProject(tenant.as('owner'), { slug: 'A', name: '' })).rejects.toMatchObject({
    code: 'invalid_request',
    issues: [{ field: 'slug' }, { field: 'name' }],
  })
})
