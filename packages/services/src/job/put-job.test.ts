import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { DAILY, type Desk, openDesk } from '../../test/job-desk.ts'
import { refusedFields, written } from '../../test/job-writes.ts'
import { auditRows, fresh, makeTenant, whoMay } from '../../test/tenants.ts'
import { setProjectDefaults } from '../project/set-project-defaults.ts'
import { listRuns } from '../run/list-runs.ts'
import { deleteJob } from './delete-job.ts'
import { getJob } from './get-job.ts'
import { patchJob } from './patch-job.ts'
import { pauseJob, resumeJob } from './pause-job.ts'
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

describe('what a PUT does', () => {
  test('creates the job with every default', async () => {
    const name = fresh('job')
    const put = await putJob(desk.ctx, name, DAILY)
    expect(put).toMatchObject({ created: true, changed: true })
    expect(put.job).toMatchObject({
      name,
      kind: 'http',
      state: 'active',
      timezone: 'UTC',
      dialect: 'standard',
      method: 'POST',
      timeout_seconds: 30,
      max_attempts: 3,
      min_backoff_seconds: 5,
      max_backoff_seconds: 300,
      backoff_multiplier: 2,
      retry_on_4xx: false,
      overlap: 'skip',
      missed: 'skip',
      response: 'sync',
      description: '',
      tags: [],
      next_run_at: '2027-01-16T03:00:00Z',
      last_run: null,
    })
    expect(put.job.next_runs).toHaveLength(5)
    expect(put.etag).toBe((await getJob(desk.ctx, name)).etag)
  })

  test('the same again writes nothing, secrets included', async () => {
    const name = fresh('job')
    const settings = {
      ...DAILY,
      payload: { n: 1, list: [true, null] },
      headers: { Authorization: { secret: 'hunter22' }, 'X-Kind': 'daily' },
      tags: ['a', 'b'],
    }
    const first = await putJob(desk.ctx, name, settings)
    const before = await written(desk, name)
    desk.advance(60_000)
    const second = await putJob(desk.ctx, name, structuredClone(settings))
    expect(second).toMatchObject({ created: false, changed: false, etag: first.etag })
    expect(await written(desk, name)).toEqual(before)
    expect(before).toMatchObject({ requests: 1, schedules: 1, secrets: 1, entries: 1 })
  })

  test('what was read can be sent back and changes nothing', async () => {
    const name = fresh('job')
    await putJob(desk.ctx, name, {
      interval_minutes: 90,
      from: '2027-02-01T00:00:00+01:00',
      timezone: 'Europe/Stockholm',
      url: 'https://Target.example:443/a?b',
      body: 'plain',
      content_type: 'text/plain',
      headers: { 'X-Token': { secret: 'hunter22' } },
    })
    await pauseJob(desk.ctx, name)
    const { job } = await getJob(desk.ctx, name)
    expect(await putJob(desk.ctx, name, job)).toMatchObject({ created: false, changed: false })
  })

  test('what is not given goes back to its default', async () => {
    const name = await desk.job({
      max_attempts: 7,
      tags: ['a'],
      description: 'once',
      headers: { 'X-A': 'b' },
    })
    const put = await putJob(desk.ctx, name, DAILY)
    expect(put).toMatchObject({
      changed: true,
      job: { max_attempts: 3, tags: [], description: '', headers: {} },
    })
    expect((await auditRows(desk.sql, desk.ctx.organizationId)).at(-1)).toMatchObject({
      action: 'job.update',
      before: { max_attempts: 7 },
      after: { max_attempts: 3 },
    })
  })

  test('a time given once is caught up by default', async () => {
    const put = await putJob(desk.ctx, fresh('job'), { at: '2027-02-01T00:00:00Z', url: DAILY.url })
    expect(put.job).toMatchObject({ missed: 'catch_up', next_run_at: '2027-02-01T00:00:00Z' })
    expect(put.job.next_runs).toEqual(['2027-02-01T00:00:00Z'])
  })

  test('fills in the defaults of the project, which touch no job before its next PUT, and fill in no PATCH', async () => {
    const tenant = await makeTenant(desk.services)
    const ctx = tenant.as('owner')
    await putJob(ctx, 'early', DAILY)
    await setProjectDefaults(ctx, {
      max_attempts: 1,
      overlap: 'queue',
      missed: 'catch_up',
      timeout_seconds: 60,
      timezone: 'Europe/Stockholm',
    })
    const filled = {
      max_attempts: 1,
      overlap: 'queue',
      missed: 'catch_up',
      timeout_seconds: 60,
      timezone: 'Europe/Stockholm',
    }
    expect((await getJob(ctx, 'early')).job).toMatchObject({
      max_attempts: 3,
      overlap: 'skip',
      timezone: 'UTC',
    })
    await patchJob(ctx, 'early', { description: 'patched' })
    expect((await getJob(ctx, 'early')).job).toMatchObject({
      max_attempts: 3,
      overlap: 'skip',
      timezone: 'UTC',
    })
    expect((await putJob(ctx, 'late', DAILY)).job).toMatchObject(filled)
    expect((await putJob(ctx, 'early', DAILY)).job).toMatchObject(filled)
    // Null in a PATCH is Workly's default, not the project's.
    await patchJob(ctx, 'early', { max_attempts: null, timezone: null })
    expect((await getJob(ctx, 'early')).job).toMatchObject({
      max_attempts: 3,
      timezone: 'UTC',
      overlap: 'queue',
    })
    // They are stored: taking them back touches no job.
    await setProjectDefaults(ctx, {})
    expect((await getJob(ctx, 'late')).job).toMatchObject(filled)
  })

  test('is for developers and keys with write', async () => {
    const tenant = await makeTenant(desk.services)
    expect(await whoMay(tenant, ctx => putJob(ctx, 'job', DAILY))).toEqual([
      'developer',
      'admin',
      'owner',
      'key:write',
    ])
  })
})

describe('what is refused', () => {
  test('names each offending field at once', async () => {
    const call = putJob(desk.ctx, fresh('job'), {
      at: '2027-01-01T00:00:00Z',
      timezone: 'Europe/Stockholm',
      url: 'ftp://target.example/',
      headers: { Host: 'x', 'X-Secret': { secret: '••••' } },
      payload: {},
      body: 'x',
      tags: ['a', 'a'],
    })
    expect((await refusedFields(call)).sort()).toEqual([
      'at',
      'body',
      'headers.Host',
      'headers.X-Secret',
      'tags',
      'url',
    ])
  })

  test('a bad schedule and a bad request together, and nothing is written', async () => {
    const name = await desk.job()
    const before = await written(desk, name)
    const call = putJob(desk.ctx, name, {
      cron: '61 * * * *',
      url: 'http://target.example/',
      timezone: 'Mars/Base',
    })
    expect((await refusedFields(call)).sort()).toEqual(['cron', 'timezone', 'url'])
    expect(await written(desk, name)).toEqual(before)
  })

  test.each([
    [{ at: '2027-01-15T12:00:00Z' }, 'at'],
    [{ cron: '0 3 * * *', to: '2027-01-16T02:59:59Z' }, 'to'],
    [{ cron: '0 0 3 * * * 2026', dialect: 'extended' }, 'cron'],
    [{ interval_minutes: 60, from: '2027-01-15T12:30:00Z', to: '2027-01-15T12:29:00Z' }, 'to'],
  ] as const)('a schedule without a time left: %j is refused on %s', async (schedule, field) => {
    const settings = { url: DAILY.url, ...schedule }
    expect(await refusedFields(putJob(desk.ctx, fresh('job'), settings))).toContain(field)
    expect(await refusedFields(putJob(desk.ctx, await desk.job(), settings))).toContain(field)
  })

  test('names that are none', async () => {
    for (const name of ['', '-a', '.a', 'a b', 'ä', 'a/b', 'x'.repeat(101), 'a\n'])
      expect(await refusedFields(putJob(desk.ctx, name, DAILY))).toEqual(['name'])
    await putJob(desk.ctx, 'x'.repeat(100), DAILY)
  })

  test('bodies that are larger than the limit, and intervals that are shorter, the limit named', async () => {
    const limits = desk.services.limits
    desk.services.limits = { ...limits, target_body_bytes: 10, shortest_interval_seconds: 300 }
    const settings = { url: DAILY.url, cron: '*/4 * * * *', body: 'äääääx' }
    await expect(putJob(desk.ctx, fresh('job'), settings)).rejects.toMatchObject({
      issues: expect.arrayContaining([
        { field: 'body', message: expect.stringMatching(/\b11 bytes\b.*\b10\b/) },
        { field: 'cron', message: expect.stringMatching(/\b300 s\b/) },
      ]),
    })
    expect((await refusedFields(putJob(desk.ctx, fresh('job'), settings))).sort()).toEqual(['body', 'cron'])
    await putJob(desk.ctx, fresh('job'), { ...settings, cron: '*/5 * * * *', body: 'äääää' })
    desk.services.limits = limits
  })

  test('one job too many, also when two are made at once', async () => {
    const ctx = (await makeTenant(desk.services)).as('owner')
    await desk.sql`
      update organizations set limits = '{"jobs_per_organization": 3}' where id = ${ctx.organizationId}`
    await putJob(ctx, 'first', DAILY)
    const made = await Promise.allSettled(['a', 'b', 'c', 'd'].map(name => putJob(ctx, name, DAILY)))
    expect(made.filter(m => m.status === 'fulfilled')).toHaveLength(2)
    for (const m of made)
      if (m.status === 'rejected')
        expect(m.reason).toMatchObject({ code: 'limit_reached', message: expect.stringMatching(/at most 3/) })
    // A PUT of one that exists is no more jobs; a deleted one makes room.
    await putJob(ctx, 'first', { ...DAILY, description: 'still' })
    await deleteJob(ctx, 'first')
    await putJob(ctx, 'last', DAILY)
  })
})

describe('conditions', () => {
  test('If-Match is for the job as it was read, If-None-Match: * only creates', async () => {
    const name = fresh('job')
    const failed = { code: 'precondition_failed' }
    await expect(putJob(desk.ctx, name, DAILY, { ifMatch: '"x"' })).rejects.toMatchObject(failed)
    await expect(putJob(desk.ctx, name, DAILY, { ifMatch: '*' })).rejects.toMatchObject(failed)
    const { etag } = await putJob(desk.ctx, name, DAILY, { ifNoneMatch: '*' })
    await expect(putJob(desk.ctx, name, DAILY, { ifNoneMatch: '*' })).rejects.toMatchObject(failed)
    const edited = await putJob(
      desk.ctx,
      name,
      { ...DAILY, description: 'x' },
      { ifMatch: `"other", ${etag}` },
    )
    expect(edited.etag).not.toBe(etag)
    await expect(putJob(desk.ctx, name, DAILY, { ifMatch: etag })).rejects.toMatchObject(failed)
    await putJob(desk.ctx, name, DAILY, { ifMatch: '*' })
  })

  test('the ETag covers settings and pause, not runs nor times that pass', async () => {
    const name = await desk.job({ cron: '0 13 * * *' })
    const { etag } = await getJob(desk.ctx, name)
    desk.at('2027-01-15T13:00:00Z')
    await desk.tick()
    expect((await getJob(desk.ctx, name)).etag).toBe(etag)
    const paused = await pauseJob(desk.ctx, name)
    expect(paused.etag).not.toBe(etag)
    const resumed = await resumeJob(desk.ctx, name)
    expect(resumed.etag).not.toBe(paused.etag)
  })

  test('a job that was made anew under its old name has another ETag', async () => {
    const name = fresh('job')
    const { etag } = await putJob(desk.ctx, name, DAILY)
    await deleteJob(desk.ctx, name)
    expect((await putJob(desk.ctx, name, DAILY)).etag).not.toBe(etag)
  })
})

describe('execute_now', () => {
  test('makes one run at once, also before from, only in the call that creates the job', async () => {
    const name = fresh('job')
    const settings = { ...DAILY, from: '2027-03-01T00:00:00Z', execute_now: true }
    const put = await putJob(desk.ctx, name, settings)
    expect(put.job).toMatchObject({ next_run_at: '2027-03-01T03:00:00Z', last_run: { state: 'pending' } })
    expect(await desk.runs(name)).toMatchObject([
      { trigger: 'execute_now', set_going_by: 'manual', state: 'pending', scheduled_for: desk.now() },
    ])
    desk.advance(1000)
    expect(await putJob(desk.ctx, name, settings)).toMatchObject({ changed: false })
    await putJob(desk.ctx, name, { ...settings, description: 'again' })
    expect(await desk.runs(name)).toHaveLength(1)
  })
})

describe('warnings', () => {
  const codes = async (settings: Parameters<Desk['job']>[0]) =>
    (await getJob(desk.ctx, await desk.job(settings))).job.warnings.map(w => w.code)

  test.each([
    ['dst_skipped_hour', { cron: '30 2 * * *', timezone: 'Europe/Stockholm' }],
    ['dst_repeated_hour', { cron: '30 2 * * *', timezone: 'Europe/Stockholm' }],
    ['uneven_step', { cron: '*/50 * * * *' }],
    ['step_beyond_range', { cron: '*/90 * * * *' }],
    ['every_minute_of_hour', { cron: '* 16 * * *' }],
    ['day_or_weekday', { cron: '0 0 13 * 5' }],
    ['blocked_target', { url: 'https://10.0.0.1/' }],
  ] as const)('%s is said of %j', async (code, settings) => {
    expect(await codes(settings)).toContain(code)
  })
  test('nothing is said of a plain job', async () => {
    expect(await codes({})).toEqual([])
  })
})

test('a name is free again once its job is deleted, and the new job has nothing of the old', async () => {
  const name = fresh('job')
  const first = await putJob(desk.ctx, name, { ...DAILY, execute_now: true })
  await deleteJob(desk.ctx, name)
  await expect(getJob(desk.ctx, name)).rejects.toMatchObject({ code: 'not_found' })
  const second = await putJob(desk.ctx, name, DAILY)
  expect(second).toMatchObject({ created: true, job: { last_run: null } })
  expect(second.job.id).not.toBe(first.job.id)
  expect((await listRuns(desk.ctx, { job: name })).data).toEqual([])
})
