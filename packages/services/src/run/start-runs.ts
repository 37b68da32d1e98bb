import type { TransactionSql } from '@workly/db'
import type { BegunAttempt } from '../attempt/begin-attempts.ts'
import type { LimitDefaults } from '../limits.ts'
import { Tally } from '../metrics/tally.ts'
import { admitWithin } from './admit-waiting.ts'
import { beginNewRuns, type FullHand, takenInHand } from './begin-new-runs.ts'
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
 * @param hand the worker that begins what it has room for itself; those are not among the inserted ones
 */
export async function startRuns(
  sql: TransactionSql,
  limits: LimitDefaults,
  runs: NewRun[],
  now: Date,
  tally = new Tally(),
  hand: FullHand | null = null,
): Promise<{ inserted: InsertedRun[]; begun: BegunAttempt[] }> {
  const concerned = new Set(runs.map(run => run.projectId))
  const ids = [...new Set([...concerned, ...tally.projects()])].sort()
  if (ids.length === 0) return { inserted: [], begun: [] }
  const bounds = await lockBounds(sql, limits, ids)
  if (runs.length === 0) {
    await tally.write(sql)
    return { inserted: [], begun: [] }
  }
  const ofRuns = bounds.filter(b => concerned.has(b.id))
  const rooms = await readRooms(sql, ofRuns, now)
  const admitted = placeRuns(runs, rooms)
  const inOrder = inTurns(runs)
  const inHand = takenInHand(hand, inOrder, admitted)
  const [begun, inserted] = await Promise.all([
    hand ? beginNewRuns(sql, hand, [...inHand], now) : [],
    insertRuns(
      sql,
      inOrder.filter(run => !inHand.has(run)),
      now,
      admitted,
    ),
    tally.write(sql),
  ])
  await admitWithin(
    sql,
    ofRuns.filter(b => rooms.get(b.id)?.hasWaiting),
    now,
  )
  return { inserted, begun }
}
