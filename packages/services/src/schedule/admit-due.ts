import { clockWithin, readClock, type Services } from '../context.ts'
import { admitWaiting } from '../run/admit-waiting.ts'

/** How long after its due time a waiting run is still looked for by the tick; the rescuer finds what is older. */
const LOOK_BACK_MS = 15_000

/**
 * Admits runs whose next attempt has just become due (a backoff that is over). Those that do not fit their bounds wait
 * on, and are admitted by whatever frees a slot.
 * @returns how many were admitted
 */
export async function admitDue(services: Services): Promise<number> {
  const { sql } = services
  // Most often there is none, which is seen without a transaction: each worker looks every second.
  const rows = await sql<{ project_id: string }[]>`
    select distinct project_id from runs, (select ${clockWithin(services, sql)} as at) now
    where due_at > at - ${LOOK_BACK_MS} * interval '1 millisecond' and due_at <= at and not waits_for_turn`
  if (rows.length === 0) return 0
  return sql.begin(async sql =>
    admitWaiting(
      sql,
      services.limits,
      rows.map(r => r.project_id),
      await readClock(services, sql),
    ),
  )
}

/**
 * The next instant at which something becomes due: a scheduled time, a next attempt or the end of a wait; null when
 * nothing waits.
 * @param passedOver jobs that are not to count, see {@link claimDue}
 */
export async function nextDueAt(
  services: Services,
  after: Date,
  passedOver: readonly string[] = [],
): Promise<Date | null> {
  const { sql } = services
  const [row] = await sql<{ at: Date | null }[]>`
    select least(
      (select min(next_run_at) from jobs where next_run_at is not null
        ${passedOver.length > 0 ? sql`and id <> all(${passedOver as string[]})` : sql``}),
      (select min(due_at) from runs where due_at > ${after} and not waits_for_turn),
      (select min(callback_deadline) from attempts where state = 'waiting')) as at`
  return row?.at ?? null
}
