import type { Sql } from '@workly/db'
import type { Family, Sample } from './exposition.ts'

/** Runs under way, by how far they are. */
export interface QueueDepth {
  /** Due and without a slot: nobody has admitted them, or the bounds are full. */
  due: number
  /** Have a slot and a task; no worker has begun. */
  admitted: number
  /** Are being called, and containers that are not gone. */
  calling: number
}

/**
 * Counts over partial indexes that hold only runs under way, so it takes no longer for all that have ended.
 * @param projectId all projects when it is not given
 */
export async function readQueueDepth(sql: Sql, now: Date, projectId?: string): Promise<QueueDepth> {
  const within = projectId === undefined ? sql`` : sql`and project_id = ${projectId}`
  const [row] = await sql<QueueDepth[]>`
    select due, admitted, calling
    from (
      select count(*) as due from runs where due_at is not null and due_at <= ${now} and not waits_for_turn ${within}
    ) waiting, (
      select count(*) filter (where current_attempt_id is null) as admitted,
        count(*) filter (where current_attempt_id is not null) + (
          select count(*) from container_handles where gone_at is null ${within}) as calling
      from runs where slot_host is not null ${within}
    ) slots`
  return row ?? { due: 0, admitted: 0, calling: 0 }
}

export function queueFamily(depth: QueueDepth, labels: Sample['labels'] = {}): Family {
  const stages = [
    ['due', depth.due],
    ['admitted', depth.admitted],
    ['calling', depth.calling],
  ] as const
  return {
    name: 'workly_queue_depth',
    help: 'Runs due and waiting for a slot, admitted and waiting for a worker, or being called.',
    type: 'gauge',
    samples: stages.map(([stage, value]) => ({ labels: { ...labels, stage }, value })),
  }
}
