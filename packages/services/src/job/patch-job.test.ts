import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Desk, openDesk } from '../../test/job-desk.ts'
import { auditRows, makeTenant, whoMay } from '../../test/tenants.ts'
import { getJob } from './get-job.ts'
import { patchJob } from './patch-job.ts'
import { readPayload } from './payload-text.ts'
import { putJob } from './put-job.ts'

let desk: Desk
beforeAll(async () => {
  desk = await openDesk()
})
afterAll(() => desk?.drop())
beforeEach(async () => {
  await desk.clear()
  desk.at('2027-01-15T12:00:00Z')
})

const settings = {
  cron: '0 3 * * *',
  timezone: 'Europe/Stockholm',
  url: 'https://target.example/a',
  headers: { 'X-A': 'a' },
  payload: { big: 1 },
  max_attempts: 7,
  overlap: 'queue',
  tags: ['x'],
} as const

test('changes only what is given', async () => {
  const name = await desk.job({ ...settings, tags: ['x'] })
  const before = (await getJob(desk.ctx, name)).job
  const patched = await patchJob(desk.ctx, name, { description: 'new', max_attempts: 2 })
  expect(patched.changed).toBe(true)
  expect(patched.job).toEqual({
    ...before,
    description: 'new',
    max_attempts: 2,
    updated_at: patched.job.updated_at,
  })
})

test('an empty one, and one that says what is so already, writes nothing', async () => {
  const name = await desk.job({ ...settings, tags: ['x'] })
  const { etag, job } = await getJob(desk.ctx, name)
  for (const patch of [{}, { max_attempts: 7 }, { headers: { 'X-A': 'a' } }, { payload: { big: 1 } }]) {
    desk.advance(1000)
    const patched = await patchJob(desk.ctx, name, patch)
    expect([patched.changed, patched.etag, patched.job.updated_at]).toEqual([false, etag, job.updated_at])
  }
  const entries = (await auditRows(desk.sql, desk.ctx.organizationId)).filter(a => a.subject_id === job.id)
  expect(entries).toHaveLength(1)
})

test('null puts a setting back to its default, but payload, which becomes JSON null', async () => {
  const name = await desk.job({ ...settings, tags: ['x'] })
  const { job } = await patchJob(desk.ctx, name, {
    max_attempts: null,
    overlap: null,
    timezone: null,
    tags: null,
  })
  expect(job).toMatchObject({
    max_attempts: 3,
    overlap: 'skip',
    timezone: 'UTC',
    tags: [],
    payload: { big: 1 },
  })
  expect((await patchJob(desk.ctx, name, { payload: null })).job.payload).toBeNull()
})

test('body of null takes the body away, in whichever form it was given', async () => {
  const name = await desk.job({ ...settings, tags: ['x'] })
  const without = (await patchJob(desk.ctx, name, { body: null, method: 'GET' })).job
  expect([without.payload, without.body, without.content_type, without.method]).toEqual([
    undefined,
    undefined,
    undefined,
    'GET',
  ])
  expect((await patchJob(desk.ctx, name, { body: null })).changed).toBe(false)
  await patchJob(desk.ctx, name, { method: null, body: 'a,b', content_type: 'text/csv' })
  const again = (await patchJob(desk.ctx, name, { body: null })).job
  expect([again.payload, again.body, again.content_type, again.method]).toEqual([
    undefined,
    undefined,
    undefined,
    'POST',
  ])
  expect((await patchJob(desk.ctx, name, { payload: null, body: null })).job.payload).toBeNull()
})

test('one form of schedule takes the place of another, and of body', async () => {
  const name = await desk.job({ ...settings, tags: ['x'] })
  const interval = (await patchJob(desk.ctx, name, { interval_minutes: 15 })).job
  expect(interval).toMatchObject({ cron: null, interval_minutes: 15, at: null, missed: 'skip' })
  const once = (await patchJob(desk.ctx, name, { at: '2027-02-01T00:00:00Z' })).job
  expect(once).toMatchObject({ interval_minutes: null, at: '2027-02-01T00:00:00Z', missed: 'catch_up' })
  const body = (await patchJob(desk.ctx, name, { body: 'plain', content_type: 'text/plain' })).job
  expect([body.payload, body.body, body.content_type]).toEqual([undefined, 'plain', 'text/plain'])
  const payload = (await patchJob(desk.ctx, name, { payload: [1] })).job
  expect([payload.payload, payload.body, payload.content_type]).toEqual([[1], undefined, undefined])
  await expect(patchJob(desk.ctx, name, { cron: '0 3 * * *', interval_minutes: 5 })).rejects.toMatchObject({
    code: 'invalid_request',
  })
  // Its only form cannot be taken away.
  await expect(patchJob(desk.ctx, name, { at: null })).rejects.toMatchObject({ code: 'invalid_request' })
})

test('without a schedule field it leaves next_run_at alone, also of a paused or completed job', async () => {
  const name = await desk.job({ interval_minutes: 60 })
  const { next_run_at: next } = (await getJob(desk.ctx, name)).job
  desk.advance(59 * 60_000)
  expect((await patchJob(desk.ctx, name, { url: 'https://b.example/' })).job.next_run_at).toBe(next)
  const once = await desk.job({ at: '2027-01-15T13:30:00Z' })
  desk.at('2027-01-15T13:30:00Z')
  await desk.tick()
  expect((await patchJob(desk.ctx, once, { url: 'https://b.example/' })).job).toMatchObject({
    state: 'completed',
  })
  expect((await patchJob(desk.ctx, once, { at: '2027-01-15T14:00:00Z' })).job).toMatchObject({
    state: 'active',
  })
})

test('a number that no double holds stays as it was sent, when something else is changed', async () => {
  const name = await desk.job()
  const exact = readPayload('{"n": 12345678901234567890, "f": 1.0}')
  await putJob(desk.ctx, name, { cron: '0 3 * * *', url: 'https://target.example/', payload: exact })
  const { job } = await patchJob(desk.ctx, name, { description: 'x' })
  expect(JSON.stringify(job.payload)).toBe('{"n":12345678901234567890,"f":1.0}')
})

test('is for developers and keys with write; conditions hold; an unknown job is not found', async () => {
  const tenant = await makeTenant(desk.services)
  const ctx = tenant.as('owner')
  const { etag } = await putJob(ctx, 'job', { cron: '0 3 * * *', url: 'https://target.example/' })
  expect(await whoMay(tenant, c => patchJob(c, 'job', { description: 'x' }))).toEqual([
    'developer',
    'admin',
    'owner',
    'key:write',
  ])
  await expect(patchJob(ctx, 'job', {}, { ifMatch: etag })).rejects.toMatchObject({
    code: 'precondition_failed',
  })
  await expect(patchJob(ctx, 'none', {})).rejects.toMatchObject({ code: 'not_found' })
  await expect(patchJob(desk.ctx, 'job', {})).rejects.toMatchObject({ code: 'not_found' })
})
