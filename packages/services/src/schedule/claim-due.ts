import { readClock, type Services } from '../context.ts'
import { claimJobs, type DueJob } from './claim-jobs.ts'

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
  unreadable: (jobId: string, error: unknown) => void = () => undefined,
  passedOver: readonly string[] = [],
): Promise<number> {
  return services.sql.begin(async sql => {
    const now = await readClock(services, sql)
    const jobs = await sql<DueJob[]>`
      select j.id, j.organization_id, j.project_id, j.request_version_id, j.overlap, j.missed, j.next_run_at,
        v.host, case when j.kind = 'pipeline' then jsonb_array_length(v.request->'steps') else 0 end as step_count,
        s.cron, s.dialect, s.interval_minutes, s.at, s.timezone, s.from_at, s.to_at, s.anchor_at
      from jobs j
      cross join lateral (select * from schedule_versions where id = j.schedule_version_id offset 0) s
      cross join lateral (select * from request_versions where id = j.request_version_id offset 0) v
      where j.next_run_at <= ${now} ${passedOver.length > 0 ? sql`and j.id <> all(${passedOver as string[]})` : sql``}
      order by j.next_run_at limit ${limit}
      for no key update of j skip locked`
    const { unread } = await claimJobs(sql, services, jobs, now)
    for (const { jobId, error } of unread) unreadable(jobId, error)
    return jobs.length
  })
}
