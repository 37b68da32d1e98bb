import { readClock, type Services } from '../context.ts'
import { admitWaiting } from './admit-waiting.ts'
import { loseAttempts } from './lose-attempts.ts'
import { releaseWaiting } from './release-waiting.ts'

/** A begin whose answer takes longer than this never arrives. */
const ANSWERED_WITHIN_MS = 20_000

/**
 * Ends the calls that the database takes a living worker to have under way and that the worker knows nothing of: the
 * connection broke between the commit of their begin and its answer, so nobody makes them, and no rescuer would ever
 * take them over. They end as `lost` and are followed at once by others.
 * @param held every attempt that the worker has begun and whose result it has not written yet
 * @returns how many there were
 */
export async function loseForgotten(services: Services, workerId: string, held: string[]): Promise<number> {
  const begunBefore = new Date((await readClock(services, services.sql)).getTime() - ANSWERED_WITHIN_MS)
  const forgotten = await services.sql<{ id: string }[]>`
    select id from attempts
    where worker_id = ${workerId} and state = 'running' and started_at < ${begunBefore} and id <> all(${held})`
  if (forgotten.length === 0) return 0
  return services.sql.begin(async sql => {
    const now = await readClock(services, sql)
    const lost = await loseAttempts(
      sql,
      forgotten.map(({ id }) => ({ id, cause: 'forgotten' })),
      now,
    )
    const released = await releaseWaiting(sql, lost.jobs)
    await admitWaiting(sql, services.limits, [...lost.projects, ...released], now, lost.tally)
    return lost.lost
  })
}
