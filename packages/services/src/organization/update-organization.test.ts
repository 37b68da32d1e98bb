import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  ADMINS,
  auditRows,
  MEMBERS,
  makeTenant,
  openServices,
  type Tenant,
  type TestServices,
  whoMay,
} from '../../test/tenants.ts'
import { deleteProject } from '../project/delete-project.ts'
import { createOrganization } from './create-organization.ts'
import { deleteOrganization } from './delete-organization.ts'
import { getOrganization } from './get-organization.ts'
import { listOrganizationsOfUser } from './list-organizations-of-user.ts'
import { updateOrganization } from './update-organization.ts'

let t: TestServices
let tenant: Tenant
beforeAll(async () => {
  t = await openServices()
  tenant = await makeTenant(t.services)
})
afterAll(() => t.drop())

test('an organization is renamed, and the same name again changes nothing', async () => {
  const { as, organizationId } = await makeTenant(t.services)
  const before = await getOrganization(as('viewer'))
  const renamed = await updateOrganization(as('admin'), { name: 'New name' })
  expect(renamed).toMatchObject({ id: organizationId, name: 'New name', slug: before.slug, role: 'admin' })
  await updateOrganization(as('admin'), { name: 'New name' })
  const changes = (await auditRows(t.sql, organizationId)).filter(
    line => line.action === 'organization.update',
  )
  expect(changes).toMatchObject([{ before: { name: before.name }, after: { name: 'New name' } }])
})

test('the limits in force are the organization’s own, else the operator’s', async () => {
  const { as, organizationId } = await makeTenant(t.services)
  await t.sql`update organizations set limits = '{"shortest_interval_seconds": 1}' where id = ${organizationId}`
  expect(await getOrganization(as('viewer'))).toMatchObject({
    id: organizationId,
    role: 'viewer',
    limits: { ...t.services.limits, shortest_interval_seconds: 1 },
  })
})

test('everybody in it sees it, admins rename it, owners delete it, and no key does any of it', async () => {
  expect(await whoMay(tenant, getOrganization)).toEqual(MEMBERS)
  expect(await whoMay(tenant, ctx => updateOrganization(ctx, { name: 'Renamed' }))).toEqual(ADMINS)
  const deletes = (ctx: Parameters<typeof deleteOrganization>[0]) =>
    deleteOrganization(ctx).catch((error: { code?: string }) => {
      if (error.code !== 'conflict') throw error
    })
  expect(await whoMay(tenant, deletes)).toEqual(['owner'])
})

test('an organization with projects is not deleted; without them it is gone for all and its slug is free', async () => {
  const mine = await makeTenant(t.services)
  const { slug } = await getOrganization(mine.as('owner'))
  await expect(deleteOrganization(mine.as('owner'))).rejects.toMatchObject({ code: 'conflict' })
  await deleteProject(mine.as('owner'))
  await deleteOrganization(mine.as('owner'))
  await expect(getOrganization(mine.as('viewer'))).rejects.toMatchObject({ code: 'not_found' })
  await expect(updateOrganization(mine.as('owner'), { name: 'Ghost' })).rejects.toMatchObject({
    code: 'not_found',
  })
  expect(await listOrganizationsOfUser(t.services, mine.userOf('viewer'))).toEqual([])
  await createOrganization(t.services, mine.userOf('viewer'), { slug, name: 'Next' }, null)
  expect((await auditRows(t.sql, mine.organizationId)).at(-1)).toMatchObject({
    action: 'organization.delete',
    before: { slug },
  })
})
