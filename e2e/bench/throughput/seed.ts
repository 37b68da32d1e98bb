import type { Sql } from '@workly/db'
import {
  createOrganization,
  createProject,
  createUser,
  freshId,
  type ProjectContext,
  putJob,
  type Services,
} from '@workly/services'

/** What every call carries, on both sides. */
export const PAYLOAD = { report: 'nightly', rows: 1_000, note: 'x'.repeat(100) }

/**
 * An organization with projects (each with its signing secret) and jobs that are never due until {@link makeDue} says so.
 * One job a project is made as a customer makes it; the others are copies of its rows, since making 10,000 by the API
 * takes longer than everything that is measured.
 *
 * @returns the last project; its jobs are `job-0`, `job-1` and so on
 */
export async function seed(
  services: Services,
  jobs: number,
  projects: number,
  url: string,
  more: Record<string, unknown> = {},
): Promise<ProjectContext> {
  const user = await createUser(services, { email: 'bench@example.com' })
  const slug = 'bench'
  const organization = await createOrganization(services, user.id, { slug, name: 'Bench' }, null)
  const ctx = {
    services,
    organizationId: organization.id,
    actor: { kind: 'user', id: user.id, name: 'bench', role: 'owner' } as const,
    requestId: null,
  }
  const firsts: string[] = []
  let last: ProjectContext | undefined
  for (let n = 0; n < projects; n++) {
    const { project } = await createProject(ctx, { slug: `p${n}`, name: `Project ${n}` })
    const inProject = { ...ctx, projectId: project.id }
    const settings = { at: '2099-01-01T00:00:00Z', url, payload: PAYLOAD, ...more }
    const { job } = await putJob(inProject, 'job-0', settings)
    firsts.push(job.id)
    last = inProject
  }
  if (last === undefined) throw new Error('there must be a project')
  await copyJobs(services.sql, firsts, jobs)
  await services.sql`vacuum analyze`.simple()
  return last
}

/** Copies the jobs in turns, until there are so many: customers' jobs come to be one among the other. */
async function copyJobs(sql: Sql, firsts: string[], total: number): Promise<void> {
  const at = new Date()
  const copies = Array.from({ length: total - firsts.length }, (_, n) => ({
    of: firsts[n % firsts.length] ?? '',
    name: `job-${Math.floor(n / firsts.length) + 1}`,
    job: freshId('job', at),
    request: freshId('requestVersion', at),
    schedule: freshId('scheduleVersion', at),
  }))
  await sql.begin(async sql => {
    const rows = sql`unnest(${copies.map(c => c.of)}::text[], ${copies.map(c => c.name)}::text[],
      ${copies.map(c => c.job)}::text[], ${copies.map(c => c.request)}::text[], ${copies.map(c => c.schedule)}::text[])
      with ordinality as n(of, name, job, request, schedule, place)`
    // Every column as it is, but those that make a copy another job.
    await sql`
      insert into jobs select (jsonb_populate_record(j, jsonb_build_object('id', n.job, 'name', n.name,
        'request_version_id', n.request, 'schedule_version_id', n.schedule))).*
      from ${rows} join jobs j on j.id = n.of order by n.place`
    await sql`
      insert into request_versions
      select (jsonb_populate_record(v, jsonb_build_object('id', n.request, 'job_id', n.job))).*
      from ${rows} join request_versions v on v.job_id = n.of order by n.place`
    await sql`
      insert into schedule_versions
      select (jsonb_populate_record(s, jsonb_build_object('id', n.schedule, 'job_id', n.job))).*
      from ${rows} join schedule_versions s on s.job_id = n.of order by n.place`
  })
}

/** Makes every job due at one instant, or the first so many of them. */
export async function makeDue(sql: Sql, at: Date, most = 1_000_000): Promise<void> {
  await sql.begin(async sql => {
    const chosen = sql`select id from jobs order by id limit ${most}`
    await sql`update schedule_versions set at = ${at} where job_id in (${chosen})`
    await sql`update jobs set next_run_at = ${at}, state = 'active' where id in (${chosen})`
  })
}
