import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Desk, openDesk } from '../../test/job-desk.ts'
import { makeTenant, type Tenant } from '../../test/tenants.ts'
import { postJob } from '../job/post-job.ts'
import { triggerJob } from '../job/trigger-job.ts'
import { checkOrganization } from '../organization/check-organization.ts'
import { cancelExecution } from './cancel-execution.ts'
import { listExecutions } from './list-executions.ts'
import { reportExecution } from './report-execution.ts'

let desk: Desk
let tenant: Tenant
beforeAll(async () => {
  desk = await openDesk()
  tenant = await makeTenant(desk.services)
})
afterAll(() => desk?.drop())

const NIGHTLY = { cron: '0 3 * * *', url: 'https://target.example/' }
const OK = { result: 'OK' }

test('viewers read the history, operators report and cancel, developers create', async () => {
  const may = async (role: 'viewer' | 'operator' | 'developer', act: () => Promise<unknown>) =>
    expect(act(), role).rejects.toMatchObject({ code: 'forbidden' })
  await may('operator', () => postJob(tenant.as('operator'), 'nightly', NIGHTLY))
  expect(await postJob(tenant.as('developer'), 'nightly', NIGHTLY)).toMatchObject({ name: 'nightly' })
  const { id: runId } = await triggerJob(tenant.as('operator'), 'nightly')
  const address = { kind: 'http', job: 'nightly', runId, stepId: null } as const
  await may('viewer', () => reportExecution(tenant.as('viewer'), address, OK))
  await may('viewer', () => cancelExecution(tenant.as('viewer'), address))
  expect(await listExecutions(tenant.as('viewer'))).toMatchObject([
    { id: runId, kind: 'http', job: 'nightly', state: 'pending', steps: null, result: null },
  ])
})

test('another tenant has no part in it', async () => {
  const [run] = await listExecutions(tenant.as('viewer'))
  const address = { kind: 'http', job: 'nightly', runId: run?.id ?? '', stepId: null } as const
  expect(await listExecutions(desk.ctx)).toEqual([])
  expect(await listExecutions(desk.ctx, { job: 'nightly' })).toEqual([])
  for (const act of [reportExecution(desk.ctx, address, OK), cancelExecution(desk.ctx, address)])
    await expect(act).rejects.toMatchObject({ code: 'not_found' })
  await expect(checkOrganization(desk.ctx, tenant.organizationId)).rejects.toMatchObject({
    code: 'not_found',
  })
  await checkOrganization(tenant.as('viewer'), tenant.organizationId)
})

test.each([0, 1001, 1.5, Number.NaN])('a limit of %s is refused, never cut', async limit => {
  await expect(listExecutions(desk.ctx, { limit })).rejects.toMatchObject({
    code: 'invalid_request',
    issues: [{ field: 'limit', message: 'a whole number from 1 to 1000' }],
  })
})

test('a job that is there is not created again, whatever it is set to', async () => {
  const again = postJob(tenant.as('developer'), 'nightly', { ...NIGHTLY, url: 'nonsense' })
  await expect(again).rejects.toMatchObject({ code: 'conflict' })
  const bad = postJob(tenant.as('developer'), 'another', { ...NIGHTLY, url: 'nonsense' })
  await expect(bad).rejects.toMatchObject({ code: 'invalid_request' })
})
