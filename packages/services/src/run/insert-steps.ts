import type { RunState } from '@workly/core'
import type { TransactionSql } from '@workly/db'
import { hostOfTarget, type StoredStep } from '../job/stored-request.ts'

interface NewStep {
  run_id: string
  organization_id: string
  run_state: RunState
  position: number
  /** Without what can be large. */
  step: Parameters<typeof hostOfTarget>[0] & Pick<StoredStep, 'id'>
}

/** Gives new pipeline runs their steps, as the versions of their requests have them. */
export async function insertSteps(sql: TransactionSql, runIds: string[]): Promise<void> {
  if (runIds.length === 0) return
  const steps = await sql<NewStep[]>`
    select r.id as run_id, r.organization_id, r.state as run_state, (s.place - 1)::int as position,
      s.step - array['headers', 'payload', 'body', 'command', 'args', 'env', 'env_from'] as step
    from runs r join request_versions v on v.id = r.request_version_id
    cross join lateral jsonb_array_elements(v.request->'steps') with ordinality as s(step, place)
    where r.id = any(${runIds})`
  const column = <T>(of: (step: NewStep) => T) => steps.map(of)
  await sql`
    insert into steps (organization_id, run_id, position, step_id, host, state)
    select * from unnest(${column(s => s.organization_id)}::text[], ${column(s => s.run_id)}::text[],
      ${column(s => s.position)}::smallint[], ${column(s => s.step.id)}::text[],
      ${column(s => hostOfTarget(s.step))}::text[],
      ${column(s => (s.run_state === 'pending' ? 'pending' : 'not_run'))}::text[])`
}
