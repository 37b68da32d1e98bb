import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Desk, openDesk } from '../../test/job-desk.ts'
import { makeTenant } from '../../test/tenants.ts'
import { deleteJob } from './delete-job.ts'
import { type JobFilter, listJobs } from './list-jobs.ts'
import { listTags } from './list-tags.ts'
import { patchJob } from './patch-job.ts'
import { pauseJob } from './pause-job.ts'

let desk: Desk
beforeAll(async () => {
  desk = await openDesk()
})
afterAll(() => desk?.drop())

async function names(filter: JobFilter, ctx = desk.ctx): Promise<string[]> {
  return (await listJobs(ctx, filter)).data.map(job => job.name)
}

/** Jobs one second apart, the first the oldest. */
async function jobs(...all: [name: string, settings: { description?: string; tags?: string[] }][]) {
  for (const [name, settings] of all) {
    await desk.job(settings, name)
    desk.advance(1_000)
  }
}

test('a search finds part of the name or of the description, in any case, the newest first', async () => {
  await jobs(
    ['nightly-Report', {}],
    ['sums', { description: 'Sends the REPORT of Äpfel' }],
    ['other', { description: 'Nothing of it' }],
  )
  expect(await names({ search: 'rEPort' })).toEqual(['sums', 'nightly-Report'])
  expect(await names({ search: 'äPFEL' })).toEqual(['sums'])
  expect(await names({ search: 'zebra' })).toEqual([])
})

test('signs that a pattern would take as its own, and what stands partly in the name, are found only as they are', async () => {
  await jobs(
    ['percent-of', { description: '100% of a_b\\c' }],
    ['percent-like', { description: '100 of axb' }],
  )
  expect(await names({ search: '0%' })).toEqual(['percent-of'])
  expect(await names({ search: 'a_b' })).toEqual(['percent-of'])
  expect(await names({ search: 'b\\c' })).toEqual(['percent-of'])
  expect(await names({ search: 'of\n100' })).toEqual([])
})

test('a search and a tag follow each edit, and find nothing of a deleted job', async () => {
  await jobs(['edited', { description: 'the falcon', tags: ['old', 'kept'] }])
  await patchJob(desk.ctx, 'edited', { description: 'the osprey', tags: ['kept', 'new'] })
  expect(await names({ search: 'falcon' })).toEqual([])
  expect(await names({ search: 'osprey' })).toEqual(['edited'])
  expect(await names({ tag: 'old' })).toEqual([])
  expect(await names({ tag: 'kept' })).toEqual(['edited'])
  expect(await names({ tag: 'new' })).toEqual(['edited'])
  expect(await listTags(desk.ctx)).toEqual(['kept', 'new'])
  await deleteJob(desk.ctx, 'edited')
  expect(await names({ search: 'osprey' })).toEqual([])
  expect(await names({ tag: 'kept' })).toEqual([])
  expect(await desk.sql`select 1 from job_tags`).toHaveLength(0)
})

test('a tag, a search and a state are kept together, page by page', async () => {
  await jobs(
    ['pages-1', { tags: ['both'] }],
    ['pages-2', { tags: ['both', 'more'] }],
    ['leaf-3', { tags: ['both'] }],
    ['pages-4', { tags: ['more'] }],
    ['pages-5', { tags: ['both'] }],
  )
  const filter = { tag: 'both', search: 'PAGES' }
  const first = await listJobs(desk.ctx, { ...filter, limit: 2 })
  expect(first.data.map(job => job.name)).toEqual(['pages-5', 'pages-2'])
  const second = await listJobs(desk.ctx, { ...filter, limit: 2, cursor: first.next_cursor ?? '' })
  expect(second.data.map(job => job.name)).toEqual(['pages-1'])
  expect(second.next_cursor).toBeNull()
  await pauseJob(desk.ctx, 'pages-2')
  expect(await names({ ...filter, state: 'paused' })).toEqual(['pages-2'])
})

test('jobs of another project are not found by their words or tags', async () => {
  await jobs(['private', { description: 'the heron', tags: ['birds'] }])
  const stranger = (await makeTenant(desk.services)).as('owner')
  expect(await names({ search: 'heron' }, stranger)).toEqual([])
  expect(await names({ tag: 'birds' }, stranger)).toEqual([])
})
