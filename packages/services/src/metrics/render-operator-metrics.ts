import { readClock, type Services } from '../context.ts'
import { type CounterRow, counterFamilies } from './counter-families.ts'
import { exposition, type Family } from './exposition.ts'
import { queueFamily, readQueueDepth } from './queue-depth.ts'

interface Instance {
  workers_alive: number
  oldest_due_at: Date | null
  oldest_time_at: Date | null
}

/**
 * The whole installation's metrics as Prometheus reads them, for the operator: no series and no work per job (spec
 * section 13). Counters are sums over the projects; what is under way is counted over indexes that hold nothing else.
 * Serve it as `METRICS_CONTENT_TYPE`, to whom has the operator's token.
 */
export async function renderOperatorMetrics(services: Services): Promise<string> {
  const { sql } = services
  const now = await readClock(services, sql)
  const [counters, depth, [instance]] = await Promise.all([
    sql<CounterRow[]>`select metric, label, sum(value)::bigint as value from counters group by metric, label`,
    readQueueDepth(sql, now),
    sql<Instance[]>`
      select (
        select count(*) from workers where stopped_at is null and lost_at is null and lease_expires_at > ${now}
      ) as workers_alive,
        (select min(due_at) from runs where due_at is not null and not waits_for_turn) as oldest_due_at,
        (select min(next_run_at) from jobs where next_run_at is not null) as oldest_time_at`,
  ])
  const secondsSince = (at: Date | null | undefined) =>
    at ? Math.max(0, now.getTime() - at.getTime()) / 1000 : 0
  return exposition([
    gauge('workly_workers_alive', 'Workers that hold their lease.', instance?.workers_alive ?? 0),
    queueFamily(depth),
    gauge(
      'workly_queue_oldest_due_seconds',
      'How long the run that waits longest for a slot has been due.',
      secondsSince(instance?.oldest_due_at),
    ),
    gauge(
      'workly_schedule_lag_seconds',
      'How long the scheduled time that waits longest to become a run has been due.',
      secondsSince(instance?.oldest_time_at),
    ),
    ...counterFamilies(counters),
  ])
}

function gauge(name: string, help: string, value: number): Family {
  return { name, help, type: 'gauge', samples: [{ labels: {}, value }] }
}
