import type { BegunAttempt } from '../attempt/begin-attempts.ts'
import { readClock, type Services } from '../context.ts'
import type { Hand } from '../run/begin-new-runs.ts'
import { livingWorker } from '../worker/living-worker.ts'
import { claimJobs, type DueJob } from './claim-jobs.ts'

/** What a claim has taken. */
export interface TakenJobs {
  /** How many jobs; less than the limit means that nothing free was left. */
  claimed: number
  /** Calls that are begun already, and are to be made at once by the worker whose hand it was. */
  begun: BegunAttempt[]
  /** Milliseconds for which the first of the jobs had been due. */
  lateMs: number
}

/**
 * Claims up to `limit` due jobs in one transaction (spec section 5). Any number of schedulers may race: each takes
 * jobs that no other has locked, and a job locked by a write settles its due times in that write.
 *
 * A job whose stored schedule this process cannot read (a time zone newer than its own, in the middle of a deploy) stays
 * due, for a process that can; nothing of it is lost, and whoever claims it judges what was missed.
 * @param unreadable told of such jobs
 * @param passedOver jobs not to look at: those that could not be read before, which would fill the batch
 * @returns how many jobs were taken; less than `limit` means that nothing free was left
 */
export async function claimDue(
  services: Services,
  limit: number,
  unreadable?: (jobId: string, error: unknown) => void,
  passedOver?: readonly string[],
): Promise<number> {
  const { claimed } = await claimInHand(services, null, limit, unreadable, passedOver)
  return claimed
}

/**
 * The same by a worker that makes calls itself: of the runs that have their slots at once it begins as many as it has room
 * for, in the transaction that makes them, so that these need no task. What is no plain call (an image, a pipeline, a call
 * with a callback) becomes a task, as everything does beyond its room, and once its lease has run out.
 */
export async function claimInHand(
  services: Services,
  hand: Hand | null,
  limit: number,
  unreadable: (jobId: string, error: unknown) => void = () => undefined,
  passedOver: readonly string[] = [],
): Promise<TakenJobs> {
  return services.sql.begin(async sql => {
    // The worker first, as everywhere: a rescuer that buried it meanwhile would not see what begins here.
    const [now, alive] = await Promise.all([
      readClock(services, sql),
      hand && hand.room > 0 ? sql`${livingWorker(services, sql, hand.workerId)}` : [],
    ])
    const jobs = await sql<DueJob[]>`
      select j.id, j.name, j.organization_id, j.project_id, j.request_version_id, j.overlap, j.missed, j.next_run_at,
        v.host, case when j.kind = 'pipeline' then jsonb_array_length(v.request->'steps') else 0 end as step_count,
        case when j.kind = 'http' then v.request->>'response' = 'sync' else false end as is_plain_call,
        s.cron, s.dialect, s.interval_minutes, s.at, s.timezone, s.from_at, s.to_at, s.anchor_at
      from jobs j
      cross join lateral (select * from schedule_versions where id = j.schedule_version_id offset 0) s
      cross join lateral (select * from request_versions where id = j.request_version_id offset 0) v
      where j.next_run_at <= ${now} ${passedOver.length > 0 ? sql`and j.id <> all(${passedOver as string[]})` : sql``}
      order by j.next_run_at limit ${limit}
      for no key update of j skip locked`
    const { unread, begun } = await claimJobs(sql, services, jobs, now, alive.length > 0 ? hand : null)
    for (const { jobId, error } of unread) unreadable(jobId, error)
    const lateMs = jobs[0] ? now.getTime() - jobs[0].next_run_at.getTime() : 0
    return { claimed: jobs.length, begun, lateMs }
  })
}
