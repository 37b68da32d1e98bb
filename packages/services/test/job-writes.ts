import { expect } from 'vitest'
import type { Desk } from './job-desk.ts'

/** What the database holds of a job: rows of versions and secrets, and entries of the audit log. */
export async function written(desk: Desk, name: string) {
  const [row] = await desk.sql`
    select j.revision, j.updated_at, (select count(*)::int from request_versions where job_id = j.id) as requests,
      (select count(*)::int from schedule_versions where job_id = j.id) as schedules,
      (select count(*)::int from secret_values where job_id = j.id) as secrets,
      (select count(*)::int from audit_entries where subject_id = j.id) as entries
    from jobs j where name = ${name} and deleted_at is null`
  return row
}

/** The fields that a call is refused for. */
export async function refusedFields(call: Promise<unknown>): Promise<string[]> {
  const error = await call.then(
    () => new Error('it was not refused'),
    (reason: unknown) => reason,
  )
  expect(error).toMatchObject({ code: 'invalid_request' })
  return (error as { issues: { field: string }[] }).issues.map(issue => issue.field)
}
