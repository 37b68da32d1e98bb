import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  auditRows,
  fresh,
  makeTenant,
  makeUser,
  openServices,
  type TestServices,
} from '../../test/tenants.ts'
import { wireInstant } from '../wire-instant.ts'
import { createOrganization } from './create-organization.ts'
import { listOrganizationsOfUser } from './list-organizations-of-user.ts'

let t: TestServices
beforeAll(async () => {
  t = await openServices()
})
afterAll(() => t.drop())

test('who founds an organization is its owner, and it is in its audit log', async () => {
  const user = await makeUser(t.services)
  const made = await createOrganization(t.services, user.id, { slug: 'acme', name: 'Acme & Söhne' }, 'rqs_1')
  expect(made).toEqual({
    id: expect.stringMatching(/^org_/),
    slug: 'acme',
    name: 'Acme & Söhne',
    role: 'owner',
    created_at: wireInstant(t.now()),
  })
  expect(await listOrganizationsOfUser(t.services, user.id)).toEqual([made])
  expect(await auditRows(t.sql, made.id)).toMatchObject([
    {
      action: 'organization.create',
      subject_id: made.id,
      actor_name: user.email,
      request_id: 'rqs_1',
      after: { slug: 'acme', name: 'Acme & Söhne', owner: user.id },
    },
  ])
})

test('a person sees the organizations they belong to and no others, by name', async () => {
  const user = await makeUser(t.services)
  await makeTenant(t.services)
  for (const name of ['Zebra', 'ant', 'Bee']) {
    await createOrganization(t.services, user.id, { slug: fresh('list'), name }, null)
  }
  const listed = await listOrganizationsOfUser(t.services, user.id)
  expect(listed.map(o => o.name)).toEqual(['ant', 'Bee', 'Zebra'])
})

test('of two at once with the same slug one is made', async () => {
  const { id } = await makeUser(t.services)
  const results = await Promise.allSettled(
    ['One', 'Two'].map(name => createOrganization(t.services, id, { slug: 'contested', name }, null)),
  )
  expect(results.map(r => r.status).sort()).toEqual(['fulfilled', 'rejected'])
  expect(results.find(r => r.status === 'rejected')?.reason).toMatchObject({ code: 'conflict' })
  expect(await listOrganizationsOfUser(t.services, id)).toHaveLength(1)
})

test('a reserved slug and an empty name are refused, each by name', async () => {
  const { id } = await makeUser(t.services)
  await expect(
    createOrganization(t.services, id, { slug: 'sign-in', name: ' ' }, null),
  ).rejects.toMatchObject({
    code: 'invalid_request',
    issues: [{ field: 'slug' }, { field: 'name' }],
  })
})

test('a user who is not there founds nothing', async () => {
  const made = createOrganization(t.services, 'usr_x', { slug: fresh('nobody'), name: 'Nobody' }, null)
  await expect(made).rejects.toMatchObject({ code: 'not_found' })
})
