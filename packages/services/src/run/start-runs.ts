import type { TransactionSql } from '@workly/db'
import type { LimitDefaults } from '../limits.ts'
import { Tally } from '../metrics/tally.ts'
import { admitWithin } from './admit-waiting.ts'
import { type InsertedRun, insertRuns, type NewRun } from './insert-runs.ts'
import { inTurns, placeRuns } from './place-runs.ts'
import { lockBounds, readRooms } from './project-room.ts'

/**
 * Makes new runs that wait for no turn. Those that fit their projects' bounds, where nothing waits already, are made with
 * their slots and their tasks, which saves the most of them a write; the others wait as any run does, and are admitted
 * by whatever frees a slot.
 *
 * It locks the projects before the runs are there, which is no other order than everywhere: nobody else can know them.
 * @param tally what the transaction counts, written while the projects are held
 */
export async function startRuns(
  sql: TransactionSql,
  limits: LimitDefaults,
  runs: NewRun[],
  now: Date,
  tally = new Tally(),
): Promise<InsertedRun[]> {
  const concerned = new Set(runs.map(run => run.projectId))
  const ids = [...new Set([...concerned, ...tally.projects()])].sort()
  if (ids.length === 0) return []
  const bounds = await lockBounds(sql, limits, ids)
  if (runs.length === 0) {
    await tally.write(sql)
    return []
  }
  const ofRuns = bounds.filter(b => concerned.has(b.id))
  const rooms = await readRooms(sql, ofRuns, now)
  const inserted = await insertRuns(sql, inTurns(runs), now, placeRuns(runs, rooms))
  await admitWithin(
    sql,
    ofRuns.filter(b => rooms.get(b.id)?.hasWaiting),
    now,
  )
  await tally.write(sql)
  return inserted
}
