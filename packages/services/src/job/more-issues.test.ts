import type { FieldIssue } from '@workly/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DAILY, type Desk, openDesk } from '../../test/job-desk.ts'
import { moreJobIssues } from './more-issues.ts'

let desk: Desk
beforeAll(async () => {
  desk = await openDesk()
})
afterAll(() => desk?.drop())

const found = (...fields: string[]): FieldIssue[] => fields.map(field => ({ field, message: 'is bad' }))
const more = async (sent: object, bad: string[], whole = true) =>
  (await moreJobIssues(desk.ctx, sent, found(...bad), whole)).map(issue => issue.field)

test('of what could be read everything else that is wrong is named', async () => {
  const sent = {
    timeout_seconds: 0,
    cron: '61 * * * *',
    url: 'ftp://target.example/',
    headers: { Host: 'x' },
    nonsense: 1,
  }
  expect((await more(sent, ['timeout_seconds', 'nonsense'])).sort()).toEqual(['cron', 'headers.Host', 'url'])
})

test('a field is named once, and what it makes unknowable is not called missing', async () => {
  expect(await more({ cron: 5, url: 7 }, ['cron', 'url'])).toEqual([])
  expect(await more({ cron: '0 3 * * *', tags: [1] }, ['tags[0]'])).toEqual(['url'])
  expect(await more({ url: 'https://target.example/', max_attempts: 0 }, ['max_attempts'])).toEqual(['cron'])
})

test('they are judged by the limits of the project', async () => {
  await desk.sql`update projects set limits = '{"job_tags": 1, "shortest_interval_seconds": 1}' where id = ${desk.ctx.projectId}`
  const sent = { ...DAILY, cron: '*/5 * * * * *', dialect: 'extended', tags: ['a', 'b'], max_attempts: 0 }
  expect(await more(sent, ['max_attempts'])).toEqual(['tags'])
  await desk.sql`update projects set limits = '{}' where id = ${desk.ctx.projectId}`
})

test('of a PATCH only what is given is judged', async () => {
  expect(await more({ timezone: 'Mars/Base', max_attempts: 0 }, ['max_attempts'], false)).toEqual([
    'timezone',
  ])
  expect(await more({ description: 'x', max_attempts: 0 }, ['max_attempts'], false)).toEqual([])
})

test('of steps, too, everything else that is wrong is named, at its place', async () => {
  const steps = [
    { id: 'a.b', url: 'ftp://target.example/', headers: { Host: 'x' } },
    'no step',
    { id: 'c', ulr: 'https://target.example/', timeout_seconds: 0 },
    { id: 'c', url: 'https://target.example/', payload: 1, body: 'x' },
    { id: 'd', url: 7, method: 'GET', payload: 1 },
  ]
  const bad = ['steps[0].id', 'steps[1]', 'steps[2].ulr', 'steps[2].timeout_seconds', 'steps[4].url']
  expect((await more({ cron: '0 3 * * *', steps, method: 'PUT' }, bad)).sort()).toEqual([
    'method',
    'steps[0].headers.Host',
    'steps[0].url',
    'steps[2].url',
    'steps[3].body',
    'steps[3].id',
    'steps[4].payload',
  ])
  expect(await more({ steps: [{ id: 'a', url: 'ftp://x' }] }, ['steps'], false)).toEqual(['steps[0].url'])
  expect(await more({ cron: '0 3 * * *', steps: 'all' }, ['steps'])).toEqual([])
})
