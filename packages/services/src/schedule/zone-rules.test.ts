import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Desk, openDesk } from '../../test/job-desk.ts'
import { getJob } from '../job/get-job.ts'
import { patchJob } from '../job/patch-job.ts'
import { pauseJob, resumeJob } from '../job/pause-job.ts'
import { reckonByZoneRules, ZONE_RULES } from './zone-rules.ts'

let desk: Desk
beforeAll(async () => {
  desk = await openDesk()
})
afterAll(() => desk?.drop())
beforeEach(async () => {
  await desk.clear()
  desk.at('2027-01-15T12:00:00Z')
})

const OSLO = { cron: '0 3 * * *', timezone: 'Europe/Oslo' }
/** 03:00 in Oslo as an edition would have it in which Norway is an hour further west. */
const STALE = '2027-01-16T03:00:00.000Z'
const TRUE = '2027-01-16T02:00:00.000Z'

async function reckonAll(rules?: string) {
  const sum = { looked: 0, moved: 0 }
  for await (const { looked, moved } of reckonByZoneRules(desk.services, rules)) {
    sum.looked += looked
    sum.moved += moved
  }
  return sum
}

/** A job as another edition left it. */
async function stale(rules: string | null, settings: object = OSLO): Promise<string> {
  const name = await desk.job(settings)
  await desk.sql`update jobs set next_run_at = ${STALE}, zone_rules = ${rules} where name = ${name}`
  return name
}

const stands = async (name: string) => {
  const [row] = await desk.sql<{ at: Date | null; rules: string; state: string; revision: number }[]>`
    select next_run_at as at, zone_rules as rules, state, revision from jobs where name = ${name}`
  return row && { ...row, at: row.at?.toISOString() ?? null }
}

test.each([['2000a'], [null]])(
  'a next time reckoned by an older edition (%s) is reckoned anew, and the job is as it was',
  async rules => {
    const name = await stale(rules)
    const { revision } = (await stands(name)) ?? {}
    expect(await reckonAll()).toEqual({ looked: 1, moved: 1 })
    expect(await stands(name)).toEqual({ at: TRUE, rules: ZONE_RULES, state: 'active', revision })
    expect((await getJob(desk.ctx, name)).job.next_run_at).toBe('2027-01-16T02:00:00Z')
    expect(await reckonAll()).toEqual({ looked: 0, moved: 0 })
  },
)

test('what no edition says otherwise is left alone: intervals, UTC, what a newer edition has reckoned', async () => {
  const names = [
    await stale('2000a', { interval_minutes: 60 }),
    await stale('2000a', { cron: OSLO.cron }),
    await stale('9999z'),
  ]
  expect(await reckonAll()).toEqual({ looked: 0, moved: 0 })
  for (const name of names) expect((await stands(name))?.at).toBe(STALE)
})

test('old code beside new does not fight: each job ends with the newest edition that has looked at it', async () => {
  const name = await stale('2000a')
  await reckonAll('2001b')
  await reckonAll('2001a')
  expect(await stands(name)).toMatchObject({ rules: '2001b' })
  await reckonAll('2001c')
  expect(await reckonAll('2001b')).toEqual({ looked: 0, moved: 0 })
  expect(await stands(name)).toMatchObject({ rules: '2001c' })
})

test('whatever writes a next time says by which edition: create, claim, edit, resume', async () => {
  const name = await desk.job(OSLO)
  expect((await stands(name))?.rules).toBe(ZONE_RULES)
  const forget = () => desk.sql`update jobs set zone_rules = '2000a' where name = ${name}`
  await forget()
  desk.at('2027-01-16T02:00:01Z')
  await desk.tick()
  expect((await stands(name))?.rules).toBe(ZONE_RULES)
  await forget()
  await patchJob(desk.ctx, name, { cron: '0 4 * * *' })
  expect((await stands(name))?.rules).toBe(ZONE_RULES)
  await forget()
  await pauseJob(desk.ctx, name)
  expect(await reckonAll()).toEqual({ looked: 0, moved: 0 })
  await resumeJob(desk.ctx, name)
  expect((await stands(name))?.rules).toBe(ZONE_RULES)
})

test('what is due is left to the tick, which settles it once; a job without a time left is completed', async () => {
  const due = await stale('2000a')
  const over = await stale('2000a', { ...OSLO, to: '2027-01-16T02:30:00Z' })
  desk.at('2027-01-16T02:45:00Z')
  expect(await reckonAll()).toEqual({ looked: 2, moved: 2 })
  expect(await stands(over)).toMatchObject({ at: null, state: 'completed' })
  expect(await stands(due)).toMatchObject({ at: '2027-01-17T02:00:00.000Z' })

  await desk.sql`update jobs set next_run_at = '2027-01-17T02:00:00Z', zone_rules = '2000a' where name = ${due}`
  desk.at('2027-01-17T02:00:30Z')
  expect(await reckonAll()).toEqual({ looked: 0, moved: 0 })
  await desk.tick()
  expect((await desk.runs(due)).map(run => run.scheduled_for.toISOString())).toEqual([
    '2027-01-17T02:00:00.000Z',
  ])
})

test('a job that someone has locked is left to the next pass, and one whose zone is unknown to a process that knows it', async () => {
  const locked = await stale('2000a')
  const unknown = await stale('2000a')
  await desk.sql`
    update schedule_versions set timezone = 'Mars/Base' where job_id = (select id from jobs where name = ${unknown})`
  await desk.sql.begin(async sql => {
    await sql`select id from jobs where name = ${locked} for update`
    expect(await reckonAll()).toEqual({ looked: 1, moved: 0 })
  })
  expect(await reckonAll()).toEqual({ looked: 2, moved: 1 })
  expect((await stands(unknown))?.at).toBe(STALE)
})
