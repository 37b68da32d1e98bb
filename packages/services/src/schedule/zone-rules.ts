import { nextTime } from '@workly/core'
import type { TransactionSql } from '@workly/db'
import { readClock, type Services } from '../context.ts'
import { compileStored, type StoredSchedule } from './stored-schedule.ts'
import { wakeSchedulers } from './wake-schedulers.ts'

/** The edition of the time zone database that this process reckons by, such as `2026c`; editions sort as text. */
export const ZONE_RULES: string = process.versions.tz ?? ''

const JOBS_PER_BATCH = 500

/** What one batch did. */
export interface Reckoned {
  /** Jobs that are now reckoned by this process's edition. */
  looked: number
  /** Those of them whose next time is another one by it. */
  moved: number
}

interface StaleJob extends StoredSchedule {
  id: string
  next_run_at: Date
}

/**
 * Reckons anew what stands as a job's next time by an older edition of the time zone database than this process has, as
 * after an upgrade of Node: each job gets its first time after now, as after an edit. What is due already is left to the
 * tick, which claims it by the edition of its own process.
 *
 * Only what is older is taken, so that in the middle of a deploy old code and new do not undo each other's work; what old
 * code still claims is found by the next pass. Jobs that anyone has locked, or whose schedule cannot be read, are left.
 * @param rules this process's edition
 */
export async function* reckonByZoneRules(services: Services, rules = ZONE_RULES): AsyncGenerator<Reckoned> {
  let after = ''
  for (;;) {
    const batch = await services.sql.begin(async sql => {
      const now = await readClock(services, sql)
      const jobs = await staleJobs(sql, rules, after, now)
      return { jobs, moved: await reckon(sql, jobs, rules, now) }
    })
    const last = batch.jobs.at(-1)
    if (!last) return
    after = last.id
    yield { looked: batch.jobs.length, moved: batch.moved }
  }
}

/** Intervals, single times and UTC are the same by every edition. */
function staleJobs(sql: TransactionSql, rules: string, after: string, now: Date): Promise<StaleJob[]> {
  return sql<StaleJob[]>`
    select j.id, j.next_run_at, s.cron, s.dialect, s.interval_minutes, s.at, s.timezone, s.from_at, s.to_at, s.anchor_at
    from jobs j join schedule_versions s on s.id = j.schedule_version_id
    where j.next_run_at > ${now} and coalesce(j.zone_rules, '') < ${rules} collate "C" and j.id > ${after}
      and s.cron is not null and s.timezone <> 'UTC'
    order by j.id limit ${JOBS_PER_BATCH} for no key update of j skip locked`
}

/** @returns how many of the locked jobs have another next time now */
async function reckon(sql: TransactionSql, jobs: StaleJob[], rules: string, now: Date): Promise<number> {
  const reckoned = jobs.flatMap(job => {
    try {
      return [{ job, next: nextTime(compileStored(job), now.getTime()) }]
    } catch {
      // A zone that this process does not know: of another edition, or no longer of any.
      return []
    }
  })
  if (reckoned.length === 0) return 0
  await sql`
    update jobs j set next_run_at = m.next, zone_rules = ${rules},
      state = case when m.next is null then 'completed' else j.state end
    from unnest(${reckoned.map(r => r.job.id)}::text[],
      ${reckoned.map(r => (r.next === null ? null : new Date(r.next).toISOString()))}::timestamptz[]) as m(id, next)
    where j.id = m.id`
  const moved = reckoned.filter(r => r.next !== r.job.next_run_at.getTime()).length
  if (moved > 0) await wakeSchedulers(sql)
  return moved
}
