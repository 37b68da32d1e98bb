import { isId, notFound, type RunState } from '@workly/core'
import type { TransactionSql } from '@workly/db'
import type { ProjectContext } from '../context.ts'

export interface LockedRun {
  id: string
  job_id: string
  job_name: string
  state: RunState
  overlap: 'skip' | 'queue' | 'allow'
  /** Of a pipeline; 0 otherwise. */
  step_count: number
}

/**
 * Locks a run of the actor's project and its job, the job first as everywhere.
 * @throws WorklyError `not_found`
 */
export async function lockRun(sql: TransactionSql, ctx: ProjectContext, id: string): Promise<LockedRun> {
  const missing = () => notFound('run with this id in this project')
  if (!isId('run', id)) throw missing()
  const [job] = await sql<{ id: string }[]>`
    select id from jobs
    where id = (select job_id from runs where id = ${id}) and organization_id = ${ctx.organizationId}
      and project_id = ${ctx.projectId} and deleted_at is null
    for no key update`
  if (!job) throw missing()
  await sql`select id from runs where id = ${id} for no key update`
  const [run] = await sql<LockedRun[]>`
    select r.id, r.job_id, j.name as job_name, r.state, r.step_count, j.overlap
    from runs r join jobs j on j.id = r.job_id where r.id = ${id}`
  if (!run) throw missing()
  return run
}
