import type { Sql } from '@workly/db'
import {
  createOrganization,
  createProject,
  createUser,
  freshId,
  putJob,
  type Services,
} from '@workly/services'

/** What every call carries, on both sides. */
export const PAYLOAD = { report: 'nightly', rows: 1_000, note: 'x'.repeat(100) }

/**
 * An organization with projects (each with its signing secret) and jobs that are never due until {@link makeDue} says so.
 * One job a project is made as a customer makes it; the others are copies of its rows, since making 10,000 by the API
 * takes longer than everything that is measured.
 */
export async function seed(services: Services, jobs: number, projects: number, url: string): Promise<void> {
  const user = await createUser(services, { email: 'bench@example.com' })
  const slug = 'bench'
  const organization = await createOrganization(services, user.id, { slug, name: 'Bench' }, null)
  const ctx = {
    services,
    organizationId: organization.id,
    actor: { kind: 'user', id: user.id, name: 'bench', role: 'owner' } as const,
    requestId: null,
  }
  for (let n = 0; n < projects; n++) {
    const { project } = await createProject(ctx, { slug: `p${n}`, name: `Project ${n}` })
    const inProject = { ...ctx, projectId: project.id }
    const settings = { at: '2099-01-01T00:00:00Z', url, payload: PAYLOAD }
    const { job } = await putJob(inProject, 'job-0', settings)
    const copies = Math.floor(jobs / projects) + (n < jobs % projects ? 1 : 0) - 1
    await copyJob(services.sql, job.id, copies)
  }
  await services.sql`vacuum analyze`.simple()
}

async function copyJob(sql: Sql, job: string, copies: number): Promise<void> {
  if (copies < 1) return
  const at = new Date()
  const ids = (kind: 'job' | 'requestVersion' | 'scheduleVersion') =>
    Array.from({ length: copies }, () => freshId(kind, at))
  const [jobIds, requestIds, scheduleIds] = [ids('job'), ids('requestVersion'), ids('scheduleVersion')]
  await sql.begin(async sql => {
    const rows = sql`unnest(${jobIds}::text[], ${requestIds}::text[], ${scheduleIds}::text[])
      with ordinality as n(job, request, schedule, place)`
    // Every column as it is, but those that make a copy another job.
    await sql`
      insert into jobs select (jsonb_populate_record(j, jsonb_build_object('id', n.job, 'name', 'job-' || n.place,
        'request_version_id', n.request, 'schedule_version_id', n.schedule))).*
      from jobs j, ${rows} where j.id = ${job}`
    await sql`
      insert into request_versions
      select (jsonb_populate_record(v, jsonb_build_object('id', n.request, 'job_id', n.job))).*
      from request_versions v, ${rows} where v.job_id = ${job}`
    await sql`
      insert into schedule_versions
      select (jsonb_populate_record(s, jsonb_build_object('id', n.schedule, 'job_id', n.job))).*
      from schedule_versions s, ${rows} where s.job_id = ${job}`
  })
}

/** Makes every job due at one instant. */
export async function makeDue(sql: Sql, at: Date): Promise<void> {
  await sql.begin(async sql => {
    await sql`update schedule_versions set at = ${at}`
    await sql`update jobs set next_run_at = ${at}, state = 'active'`
  })
}
