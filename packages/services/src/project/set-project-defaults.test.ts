import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  ADMINS,
  auditRows,
  makeTenant,
  openServices,
  type Tenant,
  type TestServices,
  whoMay,
} from '../../test/tenants.ts'
import { getProject } from './get-project.ts'
import { setProjectDefaults } from './set-project-defaults.ts'
import { updateProject } from './update-project.ts'

let t: TestServices
let tenant: Tenant
let other: Tenant
beforeAll(async () => {
  t = await openServices()
  tenant = await makeTenant(t.services)
  other = await makeTenant(t.services)
})
afterAll(() => t.drop())

test('defaults are set as a whole, and setting the same again changes nothing', async () => {
  const { as, organizationId } = await makeTenant(t.services)
  const defaults = {
    max_attempts: 1,
    overlap: 'queue',
    missed: 'catch_up',
    timezone: 'Europe/Madrid',
  } as const
  const set = await setProjectDefaults(as('admin'), { ...defaults, timeout_seconds: null })
  expect(set.default_settings).toEqual(defaults)
  expect((await getProject(as('viewer'), 'main')).default_settings).toEqual(defaults)
  await setProjectDefaults(as('admin'), {
    timezone: 'Europe/Madrid',
    missed: 'catch_up',
    overlap: 'queue',
    max_attempts: 1,
  })
  await setProjectDefaults(as('admin'), { retry_on_4xx: false })
  expect((await getProject(as('viewer'), 'main')).default_settings).toEqual({ retry_on_4xx: false })
  const changes = (await auditRows(t.sql, organizationId)).filter(
    line => line.action === 'project.set_defaults',
  )
  expect(changes).toMatchObject([
    { before: {}, after: defaults },
    { before: defaults, after: { retry_on_4xx: false } },
  ])
})

test.each([
  ['max_attempts', 0, 'a whole number from 1 to 50'],
  ['timeout_seconds', 1_801, 'a whole number from 1 to 1800'],
  ['min_backoff_seconds', -1, 'a whole number from 0 to 86400'],
  ['max_backoff_seconds', 86_401, 'a whole number from 0 to 86400'],
  ['backoff_multiplier', 11, 'from 1 to 10'],
  ['retry_on_4xx', 'yes', 'true or false'],
  ['overlap', 'parallel', 'skip, queue or allow'],
  ['missed', 'run', 'skip or catch_up'],
  ['timezone', 'Europe/Nowhere', expect.stringContaining('Europe/Nowhere')],
  ['url', 'https://example.com', expect.stringContaining('is not known here')],
])('%s of %j is refused with what is allowed', async (field, value, message) => {
  await expect(setProjectDefaults(tenant.as('owner'), { [field]: value })).rejects.toMatchObject({
    code: 'invalid_request',
    issues: [{ field, message }],
  })
})

test('a project is renamed, and the same name again changes nothing', async () => {
  const { as, organizationId } = await makeTenant(t.services)
  await updateProject(as('admin'), { name: 'Renamed' })
  expect(await updateProject(as('admin'), { name: 'Renamed' })).toMatchObject({
    slug: 'main',
    name: 'Renamed',
  })
  const changes = (await auditRows(t.sql, organizationId)).filter(line => line.action === 'project.update')
  expect(changes).toMatchObject([{ before: { name: 'Main' }, after: { name: 'Renamed' } }])
})

test('only admins and owners change a project; no key does', async () => {
  expect(await whoMay(tenant, ctx => setProjectDefaults(ctx, { max_attempts: 2 }))).toEqual(ADMINS)
  expect(await whoMay(tenant, ctx => updateProject(ctx, { name: 'Other' }))).toEqual(ADMINS)
})

test('another tenant’s project is not found', async () => {
  const foreign = { ...tenant.as('owner'), projectId: other.projectId }
  await expect(setProjectDefaults(foreign, {})).rejects.toMatchObject({ code: 'not_found' })
  await expect(updateProject(foreign, { name: 'Mine now' })).rejects.toMatchObject({ code: 'not_found' })
})
