import { readClock, type Services } from '../context.ts'
import { admitWaiting } from './admit-waiting.ts'
import { loseAttempts, openCallsOf } from './lose-attempts.ts'
import { releaseWaiting } from './release-waiting.ts'

/**
 * Ends what a stopping worker still has in flight as `lost`, queued again at once (spec section 5, SIGTERM), and
 * retires the worker, all in one transaction.
 * @returns how many calls were cut off
 */
export async function handOver(services: Services, workerId: string): Promise<number> {
  return services.sql.begin(async sql => {
    // Waits for what this worker is just beginning, which would otherwise be left to nobody.
    await sql`select id from workers where id = ${workerId} for update`
    const now = await readClock(services, sql)
    const lost = await loseAttempts(sql, await openCallsOf(sql, new Map([[workerId, 'shutdown']])), now)
    const released = await releaseWaiting(sql, lost.jobs)
    await admitWaiting(sql, services.limits, [...lost.projects, ...released], now, lost.tally)
    await sql`update workers set stopped_at = ${now} where id = ${workerId} and stopped_at is null`
    return lost.lost
  })
}
