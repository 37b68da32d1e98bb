import { fetchRequestHandler } from '@trpc/server/adapters/fetch'
import { getJob } from '@workly/services'
import { makeTenant, openServices, type Tenant, type TestServices } from '@workly/services/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { appRouter } from '../src/trpc/router.ts'
import { makeCall } from './procedure-inputs.ts'

let t: TestServices
let tenant: Tenant
beforeAll(async () => {
  t = await openServices()
  tenant = await makeTenant(t.services)
})
afterAll(() => t.drop())

/** Makes a job from JSON text, in which `__proto__` is a name like any other. */
async function create(name: string, settings: string): Promise<{ status: number; text: string }> {
  const place = `"organization":"${tenant.organizationId}","project":"${tenant.projectId}"`
  const response = await fetchRequestHandler({
    endpoint: '/api/trpc',
    req: new Request('http://console.test/api/trpc/job.create', {
      method: 'POST',
      body: `{${place},"name":"${name}","settings":${settings}}`,
      headers: { 'content-type': 'application/json' },
    }),
    router: appRouter,
    createContext: () => ({
      services: t.services,
      session: { userId: tenant.userOf('owner'), epoch: 0 },
      requestId: 'rqs_odd',
      makeCall,
    }),
  })
  return { status: response.status, text: await response.text() }
}

test.each([
  ['a header', '{"cron":"0 3 * * *","url":"https://api.example.com/","headers":{"__proto__":"x"}}'],
  [
    'a secret header',
    '{"cron":"0 3 * * *","url":"https://api.example.com/","headers":{"__proto__":{"secret":"x"}}}',
  ],
  ['a variable', '{"cron":"0 3 * * *","image":{"name":"a","tag":"1","env":{"__proto__":"x"}}}'],
  [
    'a secret variable',
    '{"cron":"0 3 * * *","image":{"name":"a","tag":"1","env":{"__proto__":{"secret":"x"}}}}',
  ],
  ['a setting', '{"cron":"0 3 * * *","url":"https://api.example.com/","__proto__":{"paused":true}}'],
])('%s named __proto__ is refused, or kept: it is not dropped without a word', async (what, settings) => {
  const name = what.replaceAll(' ', '-')
  const made = await create(name, settings)
  expect([200, 400], made.text).toContain(made.status)
  if (made.status === 400) expect(made.text).toContain('__proto__')
  else expect(JSON.stringify((await getJob(tenant.as('owner'), name)).job)).toContain('"__proto__"')
})
