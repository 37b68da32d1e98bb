import { setTimeout as delay } from 'node:timers/promises'
import type { Sql } from '@workly/db'
import type { Rig } from './rig.ts'
import { makeDue } from './seed.ts'

/** Calls that each side has made before it is measured. */
export const WARM_UP = 500
/** Making jobs due and tidying up behind it takes that long, on a busy machine, and a millisecond for each. */
const READY_MS = 8_000
/** How long a side may take. */
const LIMIT_MS = 180_000
const LOOK_EVERY_MS = 20

/** @throws Error when it does not come true in time */
export async function untilTrue(what: string, check: () => Promise<boolean>): Promise<void> {
  const limit = performance.now() + LIMIT_MS
  while (!(await check())) {
    if (performance.now() > limit) throw new Error(`${what}: not within ${LIMIT_MS / 1000} s`)
    await delay(LOOK_EVERY_MS)
  }
}

/** How many runs have ended. */
export async function endedRuns(sql: Sql): Promise<number> {
  const [row] = await sql<{ n: number }[]>`select count(*)::int as n from runs where finished_at is not null`
  return row?.n ?? 0
}

async function forgetRuns(sql: Sql): Promise<void> {
  await sql`delete from attempts`
  await sql`delete from runs`
}

/**
 * Lets the worker make some calls, as it has on any day but its first, and then makes all jobs due at one instant.
 *
 * @returns that instant, shortly before it
 */
export async function armed(rig: Rig, jobs: number): Promise<Date> {
  const { sql } = rig.services
  const first = Math.min(WARM_UP, jobs)
  // Those of an earlier round would be taken for the ones that it makes now.
  await forgetRuns(sql)
  await makeDue(sql, new Date(), first)
  await untilTrue('the worker is warm', async () => (await endedRuns(sql)) >= first)
  await forgetRuns(sql)
  const due = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + READY_MS + jobs)
  await makeDue(sql, due)
  await sql`vacuum analyze`.simple()
  await sql`checkpoint`.simple()
  if (Date.now() > due.getTime() - 500) throw new Error('the jobs were not ready in time')
  await rig.forget()
  await delay(Math.max(0, due.getTime() - Date.now() - 300))
  return due
}
