import { WorklyError } from '@workly/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DAILY, type Desk, openDesk } from '../../test/job-desk.ts'
import { fresh } from '../../test/tenants.ts'
import { putJob } from './put-job.ts'

let desk: Desk
beforeAll(async () => {
  desk = await openDesk()
})
afterAll(() => desk?.drop())

const many = (n: number) => Array.from({ length: n }, (_, i) => `x-${i}`)
const headers = (n: number) => Object.fromEntries(many(n).map(name => [name, '']))

/** What a PUT of a job with these settings is refused for; nothing when it is taken. */
async function wrong(settings: object) {
  const error = await putJob(desk.ctx, fresh('job'), { ...DAILY, ...settings }).then(
    () => null,
    (reason: unknown) => reason,
  )
  if (error !== null && !(error instanceof WorklyError)) throw error
  return error?.issues ?? []
}

test('headers and tags are bounded by the defaults, each error naming the bound', async () => {
  expect(await wrong({ headers: headers(51), tags: many(21) })).toEqual([
    { field: 'headers', message: '51 headers are given; at most 50 are allowed.' },
    { field: 'tags', message: '21 tags are given; at most 20 are allowed.' },
  ])
  expect(await wrong({ headers: { 'x-a': 'v'.repeat(16 * 1024) } })).toEqual([
    { field: 'headers', message: 'The headers have 16387 bytes together; at most 16384 are allowed.' },
  ])
  expect(await wrong({ headers: headers(50), tags: many(20) })).toEqual([])
})

test('what is set for an organization goes before the defaults, and what is set for a project before both', async () => {
  await desk.sql`
    update organizations set limits = '{"target_headers": 60, "target_header_bytes": 20000, "job_tags": 25}'
    where id = ${desk.ctx.organizationId}`
  expect(await wrong({ headers: { ...headers(51), 'x-a': 'v'.repeat(16 * 1024) }, tags: many(21) })).toEqual(
    [],
  )
  const { cron, url } = DAILY
  const steps = [
    { id: 'a', url, headers: headers(61) },
    { id: 'b', url },
  ]
  expect(await wrong({ cron, url: undefined, steps })).toEqual([
    { field: 'steps[0].headers', message: '61 headers are given; at most 60 are allowed.' },
  ])
  await desk.sql`update projects set limits = '{"job_tags": 2}' where id = ${desk.ctx.projectId}`
  expect(await wrong({ tags: many(3) })).toEqual([
    { field: 'tags', message: '3 tags are given; at most 2 are allowed.' },
  ])
})
