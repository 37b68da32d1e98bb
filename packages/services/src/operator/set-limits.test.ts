import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Desk, openDesk } from '../../test/job-desk.ts'
import { auditRows, makeTenant } from '../../test/tenants.ts'
import type { ProjectContext } from '../context.ts'
import { putJob } from '../job/put-job.ts'
import { triggerJob } from '../job/trigger-job.ts'
import { LIMIT_DEFAULTS, LIMIT_KEYS, LIMIT_RULES } from '../limits.ts'
import { getProject } from '../project/get-project.ts'
import { listLimits } from './list-limits.ts'
import { setLimits } from './set-limits.ts'

let desk: Desk
let ctx: ProjectContext
let organization: string
beforeAll(async () => {
  desk = await openDesk()
})
afterAll(() => desk?.drop())
beforeEach(async () => {
  await desk.clear()
  ctx = (await makeTenant(desk.services)).as('owner')
  const [row] = await desk.sql<
    { slug: string }[]
  >`select slug from organizations where id = ${ctx.organizationId}`
  organization = row?.slug ?? ''
})

const project = 'main'

test('limits of an organization are set, changed and cleared, key by key, and hold at once', async () => {
  await setLimits(desk.services, { organization }, { jobs_per_organization: 1, target_body_bytes: 5000 })
  const put = (name: string) => putJob(ctx, name, { cron: '0 3 * * *', url: 'https://target.example/' })
  await put('first')
  await expect(put('second')).rejects.toMatchObject({ code: 'limit_reached' })
  expect(await setLimits(desk.services, { organization }, { jobs_per_organization: 2 })).toMatchObject({
    before: { jobs_per_organization: 1, target_body_bytes: 5000 },
    after: { jobs_per_organization: 2, target_body_bytes: 5000 },
    changed: true,
  })
  await put('second')
  expect(await setLimits(desk.services, { organization }, { target_body_bytes: null })).toMatchObject({
    after: { jobs_per_organization: 2 },
  })
  const [listed] = await listLimits(desk.services, { organization })
  expect(listed).toMatchObject({
    set: { jobs_per_organization: 2 },
    inForce: { ...LIMIT_DEFAULTS, jobs_per_organization: 2 },
  })
})

test('an organization and a project are found by slug or id; what is set for the project goes before', async () => {
  await setLimits(desk.services, { organization: ctx.organizationId }, { project_calls_in_flight: 7 })
  const scope = { organization, project: ctx.projectId }
  expect(
    await setLimits(desk.services, scope, { project_calls_in_flight: 3, host_calls_in_flight: 2 }),
  ).toMatchObject({
    organization,
    project,
  })
  expect((await getProject(ctx, project)).limits).toEqual({
    ...LIMIT_DEFAULTS,
    project_calls_in_flight: 3,
    host_calls_in_flight: 2,
  })
  await setLimits(desk.services, scope, { project_calls_in_flight: null })
  expect((await getProject(ctx, project)).limits).toMatchObject({
    project_calls_in_flight: 7,
    host_calls_in_flight: 2,
  })
})

test("each change is in the organization's audit log, by the operator, with before and after", async () => {
  await setLimits(desk.services, { organization }, { jobs_per_organization: 20_000 })
  desk.advance(1)
  await setLimits(desk.services, { organization, project }, { host_calls_in_flight: 9 })
  desk.advance(1)
  await setLimits(desk.services, { organization }, { jobs_per_organization: null })
  const rows = (await auditRows(desk.sql, ctx.organizationId)).filter(row => row.action.startsWith('limits.'))
  expect(rows).toMatchObject([
    { action: 'limits.set', actor_name: 'operator', before: {}, after: { jobs_per_organization: 20_000 } },
    { subject_id: ctx.projectId, before: {}, after: { host_calls_in_flight: 9 } },
    { subject_id: ctx.organizationId, before: { jobs_per_organization: 20_000 }, after: {} },
  ])
  expect(rows.every(row => 'actor_kind' in row && row.actor_kind === 'system')).toBe(true)
})

test('what is set so already changes nothing and is not in the log', async () => {
  const set = () => setLimits(desk.services, { organization }, { jobs_per_organization: 5 })
  await set()
  const before = await auditRows(desk.sql, ctx.organizationId)
  expect(await set()).toMatchObject({ changed: false, admitted: 0 })
  expect(await setLimits(desk.services, { organization }, { host_calls_in_flight: null })).toMatchObject({
    changed: false,
  })
  expect(await auditRows(desk.sql, ctx.organizationId)).toEqual(before)
})

test('every limit is refused outside its range, with the range', async () => {
  for (const key of LIMIT_KEYS) {
    const { min, max } = LIMIT_RULES[key]
    for (const value of [min - 1, max + 1, min + 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      await expect(setLimits(desk.services, { organization }, { [key]: value })).rejects.toMatchObject({
        code: 'invalid_request',
        issues: [{ field: key, message: `a whole number from ${min} to ${max} is allowed.` }],
      })
    }
    for (const value of [min, max]) await setLimits(desk.services, { organization }, { [key]: value })
  }
})

test('everything wrong is told at once, by key', async () => {
  const bad = { jobs: 5, jobs_per_organization: 5, host_calls_in_flight: 0 }
  await expect(setLimits(desk.services, { organization, project }, bad)).rejects.toMatchObject({
    issues: [
      { field: 'jobs', message: expect.stringContaining('jobs_per_organization, shortest_interval_seconds') },
      { field: 'jobs_per_organization', message: expect.stringContaining('without a project') },
      { field: 'host_calls_in_flight', message: expect.stringContaining('from 1 to') },
    ],
  })
})

test('an organization or project that is not there, or is deleted, or is another’s, is named', async () => {
  const change = { host_calls_in_flight: 5 }
  await expect(setLimits(desk.services, { organization: 'nobody' }, change)).rejects.toThrow(
    /organization "nobody"/,
  )
  await expect(setLimits(desk.services, { organization, project: 'nothing' }, change)).rejects.toThrow(
    /project "nothing" in the organization/,
  )
  const other = await makeTenant(desk.services)
  await expect(setLimits(desk.services, { organization, project: other.projectId }, change)).rejects.toThrow(
    /project/,
  )
  await desk.sql`update organizations set deleted_at = ${desk.now()} where id = ${other.organizationId}`
  await expect(setLimits(desk.services, { organization: other.organizationId }, change)).rejects.toThrow(
    /organization/,
  )
})

/** Runs with a slot and a task, and runs without. */
async function slots(): Promise<[number, number]> {
  const [row] = await desk.sql<{ admitted: number; waiting: number; tasks: number }[]>`
    select count(*) filter (where slot_host is not null) as admitted, count(*) filter (where due_at is not null) as waiting,
      (select count(*) from graphile_worker._private_jobs) as tasks
    from runs where project_id = ${ctx.projectId}`
  expect(row?.tasks).toBe(row?.admitted)
  return [row?.admitted ?? 0, row?.waiting ?? 0]
}

test('a raised bound admits what waited, in the same transaction; a lowered one takes nothing back', async () => {
  await setLimits(desk.services, { organization }, { project_calls_in_flight: 1 })
  await putJob(ctx, 'busy', { cron: '0 3 * * *', url: 'https://target.example/', overlap: 'allow' })
  for (let i = 0; i < 5; i++) await triggerJob(ctx, 'busy')
  expect(await slots()).toEqual([1, 4])
  expect(await setLimits(desk.services, { organization }, { project_calls_in_flight: 3 })).toMatchObject({
    admitted: 2,
  })
  expect(await slots()).toEqual([3, 2])
  expect(
    await setLimits(desk.services, { organization, project }, { project_calls_in_flight: 4 }),
  ).toMatchObject({
    admitted: 1,
  })
  expect(
    await setLimits(desk.services, { organization, project }, { project_calls_in_flight: 1 }),
  ).toMatchObject({
    admitted: 0,
  })
  expect(await slots()).toEqual([4, 1])
  // Cleared: the organization's 3 holds again, then the default.
  await setLimits(desk.services, { organization, project }, { project_calls_in_flight: null })
  expect(await slots()).toEqual([4, 1])
  expect(await setLimits(desk.services, { organization }, { project_calls_in_flight: null })).toMatchObject({
    admitted: 1,
  })
})

test('the list without a scope names whoever has something set, and nobody else', async () => {
  await desk.sql`update organizations set limits = '{}'`
  await desk.sql`update projects set limits = '{}'`
  await makeTenant(desk.services)
  expect(await listLimits(desk.services)).toEqual([])
  await setLimits(desk.services, { organization }, { jobs_per_organization: 5 })
  await setLimits(desk.services, { organization, project }, { host_calls_in_flight: 6 })
  const second = await makeTenant(desk.services)
  await setLimits(
    desk.services,
    { organization: second.organizationId, project: second.projectId },
    { host_calls_in_flight: 7 },
  )
  const listed = await listLimits(desk.services)
  expect(listed.map(row => [row.project, row.set])).toEqual([
    [null, { jobs_per_organization: 5 }],
    [project, { host_calls_in_flight: 6 }],
    [project, { host_calls_in_flight: 7 }],
  ])
  expect(listed[1]?.inForce).toEqual({ ...LIMIT_DEFAULTS, jobs_per_organization: 5, host_calls_in_flight: 6 })
})
