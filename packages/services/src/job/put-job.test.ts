import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { DAILY, type Desk, openDesk, outcome } from '../../test/job-desk.ts'
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

/** What the database holds of a job: rows of versions and secrets, and entries of the audit log. */
async function written(name: string) {
  const [row] = await desk.sql`
    select j.revision, j.updated_at, (select count(*)::int from request_versions where job_id = j.id) as requests,
      (select count(*)::int from schedule_versions where job_id = j.id) as schedules,
      (select count(*)::int from secret_values where job_id = j.id) as secrets,
      (select count(*)::int from audit_entries where subject_id = j.id) as entries
    from jobs j where name = ${name} and deleted_at is null`
  return row
}

/** The fields that a call is refused for. */
async function refusedFields(call: Promise<unknown>): Promise<string[]> {
  const error = await call.then(
    () => new Error('it was not refused'),
    (reason: unknown) => reason,
  )
  expect(error).toMatchObject({ code: 'invalid_request' })
  return (error as { issues: { field: string }[] }).issues.map(issue => issue.field)
}

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
    const before = await written(name)
    desk.advance(60_000)
    const second = await putJob(desk.ctx, name, structuredClone(settings))
    expect(second).toMatchObject({ created: false, changed: false, etag: first.etag })
    expect(await written(name)).toEqual(before)
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
    const before = await written(name)
    const call = putJob(desk.ctx, name, {
      cron: '61 * * * *',
      url: 'http://target.example/',
      timezone: 'Mars/Base',
    })
    expect((await refusedFields(call)).sort()).toEqual(['cron', 'timezone', 'url'])
    expect(await written(name)).toEqual(before)
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

describe('edits and times', () => {
  test('a write that changes no schedule field leaves next_run_at alone', async () => {
    const name = await desk.job({ interval_minutes: 60 })
    const before = (await getJob(desk.ctx, name)).job.next_run_at
    desk.advance(10 * 60_000)
    const put = await putJob(desk.ctx, name, {
      interval_minutes: 60,
      url: 'https://else.example/',
      overlap: 'allow',
    })
    expect(put.job.next_run_at).toBe(before)
    expect(await written(name)).toMatchObject({ schedules: 1, requests: 2 })
  })

  test('a write first settles what is due under the old settings, then applies', async () => {
    const name = await desk.job({ cron: '*/10 * * * *', overlap: 'allow', body: 'old' })
    desk.at('2027-01-15T12:10:30Z')
    await putJob(desk.ctx, name, { cron: '0 * * * *', url: DAILY.url, body: 'new' })
    const [run] = await desk.runs(name)
    expect(run).toMatchObject({ state: 'pending', scheduled_for: new Date('2027-01-15T12:10:00Z') })
    const [sent] =
      await desk.sql`select request from request_versions where id = ${run?.request_version_id ?? ''}`
    expect(sent?.request.body).toBe('old')
    expect((await getJob(desk.ctx, name)).job.next_run_at).toBe('2027-01-15T13:00:00Z')
  })

  test('a refused write settles nothing', async () => {
    const name = await desk.job({ cron: '*/10 * * * *' })
    desk.at('2027-01-15T12:10:30Z')
    await refusedFields(putJob(desk.ctx, name, { cron: 'x', url: DAILY.url }))
    expect(await desk.runs(name)).toEqual([])
    expect((await getJob(desk.ctx, name)).job.next_run_at).toBe('2027-01-15T12:10:00Z')
  })

  test('missed times are settled by the old rule', async () => {
    const name = await desk.job({ cron: '*/10 * * * *', missed: 'catch_up' })
    desk.at('2027-01-15T12:35:00Z')
    await putJob(desk.ctx, name, { cron: '*/10 * * * *', url: DAILY.url, missed: 'skip' })
    expect((await desk.runs(name)).map(outcome)).toEqual(['pending'])
  })

  test('a paused job stays paused, and shows what resuming now would give', async () => {
    const name = await desk.job()
    await pauseJob(desk.ctx, name)
    const put = await putJob(desk.ctx, name, { cron: '0 4 * * *', url: DAILY.url })
    expect(put.job).toMatchObject({ state: 'paused', next_run_at: null })
    expect(put.job.next_runs[0]).toBe('2027-01-16T04:00:00Z')
    expect((await resumeJob(desk.ctx, name)).job).toMatchObject({
      state: 'active',
      next_run_at: '2027-01-16T04:00:00Z',
    })
  })

  test('an edit that adds times makes a completed job active again; another edit does not, nor is it refused', async () => {
    const name = await desk.job({ at: '2027-01-15T12:30:00Z' })
    desk.at('2027-01-15T12:30:00Z')
    await desk.tick()
    const settings = { at: '2027-01-15T12:30:00Z', url: DAILY.url }
    expect(await putJob(desk.ctx, name, settings)).toMatchObject({
      changed: false,
      job: { state: 'completed' },
    })
    const edited = await putJob(desk.ctx, name, { ...settings, description: 'was once' })
    expect(edited).toMatchObject({
      changed: true,
      job: { state: 'completed', next_run_at: null, next_runs: [] },
    })
    expect(await refusedFields(putJob(desk.ctx, name, { ...settings, at: '2027-01-15T12:29:00Z' }))).toEqual([
      'at',
    ])
    const again = await putJob(desk.ctx, name, { ...settings, at: '2027-01-15T13:00:00Z' })
    expect(again.job).toMatchObject({ state: 'active', next_run_at: '2027-01-15T13:00:00Z' })
  })

  test('the times of an interval count from the creation, cut to the second; edits, pause and resume keep that', async () => {
    desk.at('2027-01-15T12:00:07.654Z')
    const name = await desk.job({ interval_minutes: 30 })
    const next = async () => (await getJob(desk.ctx, name)).job.next_run_at
    expect(await next()).toBe('2027-01-15T12:30:07Z')
    desk.at('2027-01-15T12:10:00Z')
    await putJob(desk.ctx, name, { interval_minutes: 7, url: DAILY.url })
    expect(await next()).toBe('2027-01-15T12:14:07Z')
    await pauseJob(desk.ctx, name)
    desk.at('2027-01-15T12:20:00Z')
    await resumeJob(desk.ctx, name)
    expect(await next()).toBe('2027-01-15T12:21:07Z')
    // A from is an anchor of its own, and its own first time.
    await putJob(desk.ctx, name, { interval_minutes: 7, url: DAILY.url, from: '2027-01-15T12:25:00Z' })
    expect(await next()).toBe('2027-01-15T12:25:00Z')
    await putJob(desk.ctx, name, { interval_minutes: 7, url: DAILY.url, from: '2027-01-15T12:24:00Z' })
    expect(await next()).toBe('2027-01-15T12:24:00Z')
    await putJob(desk.ctx, name, { interval_minutes: 7, url: DAILY.url })
    expect(await next()).toBe('2027-01-15T12:21:07Z')
  })

  test('from and to are included', async () => {
    const put = await putJob(desk.ctx, fresh('job'), {
      cron: '0 * * * *',
      url: DAILY.url,
      from: '2027-01-15T14:00:00Z',
      to: '2027-01-15T15:00:00Z',
    })
    expect(put.job.next_runs).toEqual(['2027-01-15T14:00:00Z', '2027-01-15T15:00:00Z'])
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
