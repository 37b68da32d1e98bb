import { expect, test } from 'vitest'
import type { NewRun } from './insert-runs.ts'
import { inTurns, placeRuns } from './place-runs.ts'
import type { Room } from './project-room.ts'

const NOON = Date.parse('2027-01-15T12:00:00Z')

function run(id: string, more: Partial<NewRun> = {}): NewRun {
  return {
    organizationId: 'org_1',
    projectId: 'prj_1',
    jobId: id,
    requestVersionId: 'req_1',
    host: 'a.example',
    trigger: 'schedule',
    setGoingBy: 'schedule',
    scheduledFor: new Date(NOON),
    state: 'pending',
    skipReason: null,
    waitsForTurn: false,
    stepCount: 0,
    ...more,
  }
}

const room = (more: Partial<Room> = {}): Room => ({
  free: 10,
  perHost: 10,
  taken: new Map(),
  hasWaiting: false,
  ...more,
})

const placed = (runs: NewRun[], of: Room) =>
  [...placeRuns(runs, new Map([['prj_1', of]]))].map(r => r.jobId).sort()

test('as many as the project has free get their slots', () => {
  expect(placed([run('a'), run('b'), run('c')], room({ free: 2 }))).toEqual(['a', 'b'])
  expect(placed([run('a')], room({ free: 0 }))).toEqual([])
  // A bound that was lowered below what is taken.
  expect(placed([run('a')], room({ free: -3 }))).toEqual([])
})

test('a host that is full, with what it has already, holds up no other', () => {
  const runs = [run('a'), run('b'), run('c', { host: 'b.example' })]
  expect(placed(runs, room({ perHost: 2, taken: new Map([['a.example', 1]]) }))).toEqual(['a', 'c'])
})

test('by hand goes first, then everything else by its time, backfills last', () => {
  const runs = [
    run('backfill', { setGoingBy: 'backfill', scheduledFor: new Date(NOON - 9_000) }),
    run('later'),
    run('earlier', { scheduledFor: new Date(NOON - 1_000) }),
    run('by hand', { setGoingBy: 'manual', scheduledFor: new Date(NOON + 5) }),
  ]
  expect(placed(runs, room({ free: 1 }))).toEqual(['by hand'])
  expect(placed(runs, room({ free: 2 }))).toEqual(['by hand', 'earlier'])
  expect(placed(runs, room({ free: 3 }))).toEqual(['by hand', 'earlier', 'later'])
})

test('none overtakes what waits in its project, however much is free', () => {
  const other = run('other', { projectId: 'prj_2' })
  const rooms = new Map([
    ['prj_1', room({ hasWaiting: true })],
    ['prj_2', room()],
  ])
  expect([...placeRuns([run('a'), other], rooms)]).toEqual([other])
})

test('projects take turns, each in its own order', () => {
  const runs = ['a', 'b', 'c'].map(id => run(id))
  const others = ['x', 'y'].map(id => run(id, { projectId: 'prj_2' }))
  expect(inTurns([...runs, ...others]).map(r => r.jobId)).toEqual(['a', 'x', 'b', 'y', 'c'])
})
