import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { DAILY, type Desk, openDesk } from '../../test/job-desk.ts'
import { failing, PretendWorker } from '../../test/pretend-worker.ts'
import { auditRows, makeTenant, whoMay } from '../../test/tenants.ts'
import type { BegunAttempt } from '../attempt/begin-attempts.ts'
import { getRun } from '../run/get-run.ts'
import { listRuns } from '../run/list-runs.ts'
import { rescueRuns } from '../run/rescue-runs.ts'
import { deleteJob } from './delete-job.ts'
import { endDeletedRuns } from './end-deleted-runs.ts'
import { getJob } from './get-job.ts'
import { listJobs } from './list-jobs.ts'
import { patchJob } from './patch-job.ts'
import { putJob } from './put-job.ts'
import { triggerJob } from './trigger-job.ts'

let desk: Desk
let worker: PretendWorker
beforeAll(async () => {
  desk = await openDesk()
})
afterAll(() => desk?.drop())
beforeEach(async () => {
  await desk.clear()
  desk.at('2027-01-15T12:00:00Z')
  worker = await PretendWorker.start(desk.services)
})

test('takes effect at once: nothing of the job is found any more', async () => {
  const name = await desk.job()
  const run = await triggerJob(desk.ctx, name)
  const { id } = (await getJob(desk.ctx, name)).job
  await deleteJob(desk.ctx, name)
  const gone = { code: 'not_found' }
  await expect(getJob(desk.ctx, name)).rejects.toMatchObject(gone)
  await expect(patchJob(desk.ctx, name, {})).rejects.toMatchObject(gone)
  await expect(triggerJob(desk.ctx, name)).rejects.toMatchObject(gone)
  await expect(getRun(desk.ctx, run.id)).rejects.toMatchObject(gone)
  await expect(deleteJob(desk.ctx, name)).rejects.toMatchObject(gone)
  expect((await listJobs(desk.ctx)).data.map(j => j.id)).not.toContain(id)
  expect((await listRuns(desk.ctx)).data.map(r => r.id)).not.toContain(run.id)
  expect((await auditRows(desk.sql, desk.ctx.organizationId)).at(-1)).toMatchObject({
    action: 'job.delete',
    subject_id: id,
    after: null,
  })
})

test('nothing more is delivered: not what waits, nor what is in a backoff, nor what was due', async () => {
  const name = await desk.job({ cron: '*/10 * * * *', overlap: 'queue' })
  await triggerJob(desk.ctx, name)
  await triggerJob(desk.ctx, name)
  await worker.finish(await worker.take(), failing(500))
  desk.at('2027-01-15T12:10:00Z')
  await deleteJob(desk.ctx, name)
  expect(await desk.tick()).toBe(0)
  desk.advance(60_000)
  await worker.renew()
  await rescueRuns(desk.services, true)
  expect(await worker.take()).toEqual([])
  const [open] = await desk.sql`select count(*)::int as n from runs where finished_at is null`
  expect(open).toEqual({ n: 0 })
})

test('a call in flight is to be aborted, and its late result is refused', async () => {
  const name = await desk.job()
  await triggerJob(desk.ctx, name)
  const begun = await worker.take()
  await deleteJob(desk.ctx, name)
  expect(await worker.finish(begun)).toEqual(begun.map(b => b.attempt_id))
  const [attempt] = await desk.attempts(begun[0]?.run_id ?? '')
  expect(attempt).toMatchObject({ state: 'cancelled', error_message: 'The job was deleted.' })
})

/** Copies of a job's latest run, due and waiting; at once, since making each by hand would take its time. */
async function manyRuns(name: string, count: number): Promise<void> {
  await desk.sql`
    insert into runs select (copy).* from (
      select json_populate_record(r, json_build_object('id', left(r.id, 24) || lpad(i::text, 6, '0'), 'slot_host', null,
        'scheduled_for', r.scheduled_for - i * interval '1 s', 'admitted_at', null, 'current_attempt_id', null,
        'state', 'pending', 'due_at', r.created_at)) as copy
      from runs r join jobs j on j.id = r.job_id and j.name = ${name} cross join generate_series(1, ${count}) as i) made`
}

test('of very many open runs it ends what is in flight at once, and the rest behind it; nothing of it goes on meanwhile', async () => {
  const name = await desk.job({ overlap: 'allow' })
  const { id } = await triggerJob(desk.ctx, name)
  const begun = await worker.take()
  await manyRuns(name, 2_100)
  await deleteJob(desk.ctx, name)
  expect(await desk.run(id)).toMatchObject({ state: 'cancelled', slot_host: null })
  const open = async () => {
    const rows = await desk.sql<{ id: string }[]>`select id from runs where finished_at is null order by id`
    return rows.map(row => row.id)
  }
  const left = await open()
  expect(left.length).toBeGreaterThan(1_000)
  expect(await worker.finish(begun)).toEqual(begun.map(b => b.attempt_id))

  // Neither another run's admission nor the sweep lets one go.
  await triggerJob(desk.ctx, await desk.job())
  await rescueRuns(desk.services, true)
  expect(await worker.take()).toHaveLength(1)
  // One that an admission had picked in the same instant begins nothing; had it begun, its result would be refused.
  const [picked, begunBefore] = left
  await desk.sql`update runs set slot_host = host, admitted_at = ${desk.now()}, due_at = null where id = ${picked ?? ''}`
  expect(
    await worker.begin([{ runId: picked ?? '', taskNumber: (await desk.run(picked ?? '')).task_number }]),
  ).toEqual([])
  await desk.sql`
    with made as (
      insert into attempts (id, organization_id, run_id, number, state, worker_id, fence, started_at)
      select 'att_before', organization_id, id, 1, 'running', ${worker.id}, 7, ${desk.now()} from runs
      where id = ${begunBefore ?? ''} returning id
    )
    update runs set state = 'running', started_at = ${desk.now()}, slot_host = host, admitted_at = ${desk.now()}, due_at = null, attempts_made = 1,
      current_attempt_id = made.id from made where runs.id = ${begunBefore ?? ''}`
  const late = { ...begun[0], attempt_id: 'att_before', run_id: begunBefore ?? '', fence: 7 } as BegunAttempt
  expect(await worker.finish([late])).toEqual(['att_before'])

  while (await endDeletedRuns(desk.services, 500)) expect((await open()).length).toBeLessThan(left.length)
  expect(await open()).toHaveLength(1)
  expect((await desk.attempts(begunBefore ?? ''))[0]).toMatchObject({ state: 'cancelled' })
}, 30_000)

test('conditions hold, and it is for developers and keys with write', async () => {
  const tenant = await makeTenant(desk.services)
  const ctx = tenant.as('owner')
  const { etag } = await putJob(ctx, 'job', DAILY)
  await putJob(ctx, 'job', { ...DAILY, description: 'x' })
  await expect(deleteJob(ctx, 'job', { ifMatch: etag })).rejects.toMatchObject({
    code: 'precondition_failed',
  })
  await expect(deleteJob(desk.ctx, 'job')).rejects.toMatchObject({ code: 'not_found' })
  const may = await whoMay(tenant, async c => {
    await deleteJob(c, 'job')
    await putJob(ctx, 'job', DAILY)
  })
  expect(may).toEqual(['developer', 'admin', 'owner', 'key:write'])
})
