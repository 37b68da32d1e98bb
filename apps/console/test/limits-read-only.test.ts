import { fetchRequestHandler } from '@trpc/server/adapters/fetch'
import { setLimits } from '@workly/services'
import { makeTenant, openServices, type Tenant, type TestServices } from '@workly/services/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { appRouter } from '../src/trpc/router.ts'
import { INPUTS, makeCall } from './procedure-inputs.ts'

let t: TestServices
let tenant: Tenant
beforeAll(async () => {
  t = await openServices()
  tenant = await makeTenant(t.services)
  const { slug } = await slugOf()
  await setLimits(t.services, { organization: slug, project: 'main' }, { project_calls_in_flight: 5 })
})
afterAll(() => t?.drop())

async function slugOf(): Promise<{ slug: string }> {
  const [row] = await t.sql<{ slug: string }[]>`
    select slug from organizations where id = ${tenant.organizationId}`
  if (!row) throw new Error('the organization is gone')
  return row
}

const limits = () => t.sql`
  select o.limits as organization, p.limits as project from projects p join organizations o on o.id = p.organization_id
  where p.id = ${tenant.projectId}`

test('no procedure of the console sets a limit, whoever asks for it', async () => {
  const before = await limits()
  expect(before).toEqual([{ organization: {}, project: { project_calls_in_flight: 5 } }])
  const changing = Object.entries(INPUTS).filter(([, input]) => input.changes)
  expect(changing.length).toBeGreaterThan(20)
  for (const [path, { rest }] of changing) {
    const place = { organization: tenant.organizationId, project: tenant.projectId, name: 'main', id: 'main' }
    await fetchRequestHandler({
      endpoint: '/api/trpc',
      req: new Request(`http://console.test/api/trpc/${path}`, {
        method: 'POST',
        body: JSON.stringify({ ...place, ...rest, limits: { project_calls_in_flight: 100_000 } }),
        headers: { 'content-type': 'application/json' },
      }),
      router: appRouter,
      createContext: () => ({
        services: t.services,
        session: { userId: tenant.userOf('owner'), epoch: 0 },
        requestId: 'rqs_limits',
        makeCall,
      }),
    })
    expect(await limits(), path).toEqual(before)
  }
})
