import { admissionRank } from '@workly/core'
import type { NewRun } from './insert-runs.ts'
import type { Room } from './project-room.ts'

/**
 * Which of these new runs may have a slot at once: as many as fit their projects' bounds, by hand first, then everything
 * else by due time, backfills last (spec section 5, bounds). None of a project in which others wait already; those are
 * admitted together, in that order, as they would have been.
 * @param rooms of every project that has one of the runs
 */
export function placeRuns(runs: readonly NewRun[], rooms: ReadonlyMap<string, Room>): Set<NewRun> {
  const free = new Map([...rooms].map(([id, room]) => [id, room.hasWaiting ? 0 : room.free]))
  const taken = new Map([...rooms].map(([id, room]) => [id, new Map(room.taken)]))
  const placed = new Set<NewRun>()
  const inOrder = runs.toSorted(
    (a, b) =>
      admissionRank(a.setGoingBy) - admissionRank(b.setGoingBy) ||
      a.scheduledFor.getTime() - b.scheduledFor.getTime(),
  )
  for (const run of inOrder) {
    const left = free.get(run.projectId) ?? 0
    const hosts = taken.get(run.projectId)
    const calls = hosts?.get(run.host) ?? 0
    if (left <= 0 || calls >= (rooms.get(run.projectId)?.perHost ?? 0)) continue
    free.set(run.projectId, left - 1)
    hosts?.set(run.host, calls + 1)
    placed.add(run)
  }
  return placed
}

/** One of each project in turn, so that a project with many runs due at one instant holds up no other. */
export function inTurns(runs: readonly NewRun[]): NewRun[] {
  const places = new Map<string, number>()
  const placed = runs.map(run => {
    const place = places.get(run.projectId) ?? 0
    places.set(run.projectId, place + 1)
    return { run, place }
  })
  return placed.sort((a, b) => a.place - b.place).map(({ run }) => run)
}
