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

test('of an image, of a job or of a step, too, everything else that is wrong is named, field by field', async () => {
  const image = {
    tag: '-1',
    env: { '1ST': 'x' },
    env_from: [{}],
    timeout_seconds: 0,
    comand: ['x'],
  }
  const bad = ['image.name', 'image.timeout_seconds', 'image.comand']
  const named = ['image.env.1ST', 'image.env_from[0]', 'image.tag']
  const sent = { cron: '61 * * * *', image, method: 'PUT' }
  expect((await more(sent, bad)).sort()).toEqual(['cron', ...named, 'method'])
  const steps = [
    { id: 'a', image, headers: {} },
    { id: 'b', image: 'team/report' },
    { id: 'c', image: null },
  ]
  expect(
    (await more({ steps }, [...bad.map(field => `steps[0].${field}`), 'steps[1].image'])).sort(),
  ).toEqual(['cron', ...named.map(field => `steps[0].${field}`), 'steps[0].headers', 'steps[2].url'].sort())
  // What stands in its place could not be read: nothing else is missed for it.
  expect(await more({ cron: '0 3 * * *', image: 'team/report' }, ['image'])).toEqual([])
  expect(await more({ image, tags: [1] }, ['tags[0]', ...bad, 'image.env.1ST'], false)).toEqual(
    expect.arrayContaining(['image.tag', 'image.env_from[0]']),
  )
})
