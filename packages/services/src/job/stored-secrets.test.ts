import { afterAll, beforeAll, expect, test } from 'vitest'
import { DAILY, type Desk, openDesk } from '../../test/job-desk.ts'
import { PretendWorker } from '../../test/pretend-worker.ts'
import { auditRows } from '../../test/tenants.ts'
import { SecretValues } from '../attempt/secret-values.ts'
import { getRun } from '../run/get-run.ts'
import { getJob } from './get-job.ts'
import { listJobs } from './list-jobs.ts'
import { patchJob } from './patch-job.ts'
import { putJob } from './put-job.ts'
import { secretIdsOf } from './stored-request.ts'
import { triggerJob } from './trigger-job.ts'

let desk: Desk
let worker: PretendWorker
beforeAll(async () => {
  desk = await openDesk()
  worker = await PretendWorker.start(desk.services)
})
afterAll(() => desk?.drop())

const MASK = { secret: '••••' }
const TOKEN = 'tok-7f3a9c'

/** The secret values, in order, that a run of the job would send now. */
async function sent(name: string): Promise<string[]> {
  await triggerJob(desk.ctx, name)
  const [begun] = await worker.take()
  if (!begun) throw new Error('nothing began')
  await worker.finish([begun])
  const values = await new SecretValues(desk.services).of([begun.request])
  return secretIdsOf(begun.request).map(id => values.get(id) ?? '')
}

const refused = (field: string, message: RegExp) => ({
  code: 'invalid_request',
  issues: [{ field, message: expect.stringMatching(message) }],
})

test('a secret is sent, and shown nowhere', async () => {
  const name = await desk.job({ headers: { Authorization: { secret: TOKEN }, 'X-Plain': 'plain' } })
  const { job } = await getJob(desk.ctx, name)
  expect(job.headers).toEqual({ Authorization: MASK, 'X-Plain': 'plain' })
  const run = await triggerJob(desk.ctx, name)
  expect(run.request).toMatchObject({ headers: { Authorization: MASK } })
  expect(await sent(name)).toEqual([TOKEN])
  await worker.work()
  const everything = [
    job,
    await listJobs(desk.ctx),
    await getRun(desk.ctx, run.id),
    await auditRows(desk.sql, desk.ctx.organizationId),
    await desk.sql`select request from request_versions`,
  ]
  expect(JSON.stringify(everything)).not.toContain(TOKEN)
  const stored = await desk.sql<{ ciphertext: Buffer }[]>`select ciphertext from secret_values`
  expect(stored.every(row => !row.ciphertext.includes(TOKEN))).toBe(true)
})

test('the mask keeps the value of the same header, in any case of its name, while the origin stays', async () => {
  const name = await desk.job({ url: 'https://a.example/one', headers: { 'X-Token': { secret: TOKEN } } })
  await putJob(desk.ctx, name, {
    ...DAILY,
    url: 'https://A.example:443/two?x=1',
    headers: { 'x-token': MASK },
  })
  expect(await sent(name)).toEqual([TOKEN])
  await patchJob(desk.ctx, name, { url: 'https://a.example/three' })
  expect(await sent(name)).toEqual([TOKEN])
})

test.each(['https://b.example/', 'https://a.example:8443/', 'https://a.example.evil.example/'])(
  'the mask is refused when the origin becomes that of %s',
  async url => {
    const name = await desk.job({ url: 'https://a.example/', headers: { 'X-Token': { secret: TOKEN } } })
    const issue = refused('headers.X-Token', /origin/)
    await expect(
      putJob(desk.ctx, name, { ...DAILY, url, headers: { 'X-Token': MASK } }),
    ).rejects.toMatchObject(issue)
    // A PATCH of the URL alone would carry the stored value along.
    await expect(patchJob(desk.ctx, name, { url })).rejects.toMatchObject(issue)
    // The value itself may go anywhere.
    await putJob(desk.ctx, name, { ...DAILY, url, headers: { 'X-Token': { secret: TOKEN } } })
    await patchJob(desk.ctx, name, { url: 'https://c.example/', headers: {} })
  },
)

test('the mask is refused where no secret is stored', async () => {
  const issue = refused('headers.X-New', /No secret is stored/)
  const settings = { ...DAILY, headers: { 'X-New': MASK } }
  await expect(putJob(desk.ctx, 'masked', settings)).rejects.toMatchObject(issue)
  const name = await desk.job({ headers: { 'X-Token': { secret: TOKEN }, 'X-New': 'plain' } })
  await expect(putJob(desk.ctx, name, settings)).rejects.toMatchObject(issue)
})

test('a secret of one header does not come to another by a mask', async () => {
  const name = await desk.job({
    headers: { 'X-One': { secret: 'one-secret' }, 'X-Two': { secret: 'two-secret' } },
  })
  await putJob(desk.ctx, name, { ...DAILY, headers: { 'X-Two': MASK } })
  expect(await sent(name)).toEqual(['two-secret'])
  await expect(putJob(desk.ctx, name, { ...DAILY, headers: { 'X-One': MASK } })).rejects.toMatchObject({
    code: 'invalid_request',
  })
})

test('a new value takes the place of the old; runs that exist send the one they were made with', async () => {
  const name = await desk.job({ headers: { 'X-Token': { secret: 'old-value' } }, overlap: 'allow' })
  await triggerJob(desk.ctx, name)
  const put = await putJob(desk.ctx, name, {
    ...DAILY,
    overlap: 'allow',
    headers: { 'X-Token': { secret: 'new-value' } },
  })
  expect(put.changed).toBe(true)
  const begun = await worker.take()
  const values = await new SecretValues(desk.services).of(begun.map(b => b.request))
  expect([...values.values()]).toEqual(['old-value'])
  await worker.finish(begun)
  expect(await sent(name)).toEqual(['new-value'])
})

test('a secret that is made plain, or the reverse, is a change', async () => {
  const name = await desk.job({ headers: { 'X-Token': { secret: 'value-1' } } })
  expect((await putJob(desk.ctx, name, { ...DAILY, headers: { 'X-Token': 'value-1' } })).changed).toBe(true)
  expect((await getJob(desk.ctx, name)).job.headers).toEqual({ 'X-Token': 'value-1' })
  expect(
    (await putJob(desk.ctx, name, { ...DAILY, headers: { 'X-Token': { secret: 'value-1' } } })).changed,
  ).toBe(true)
  expect((await getJob(desk.ctx, name)).job.headers).toEqual({ 'X-Token': MASK })
})
