import type { RunState } from '@workly/core'
import { expect, it } from 'vitest'
import { percentile, shares, timedRuns } from './run-stats.ts'

const run = (id: string, state: RunState, ms: number | null) => ({
  id,
  state,
  scheduled_for: '2026-12-01T03:00:00Z',
  started_at: state === 'skipped' ? null : '2026-12-01T03:00:00Z',
  finished_at: ms === null ? null : new Date(Date.parse('2026-12-01T03:00:00Z') + ms).toISOString(),
})

it('takes the runs that were delivered and have ended, oldest first', () => {
  const runs = timedRuns([
    run('c', 'running', null),
    run('b', 'failed', 250),
    run('s', 'skipped', 0),
    run('a', 'succeeded', 100),
  ])
  expect(runs.map(({ id, ms }) => [id, ms])).toEqual([
    ['a', 100],
    ['b', 250],
  ])
})

it('finds percentiles by nearest rank', () => {
  expect(percentile([], 0.5)).toBe(0)
  expect(percentile([30, 10, 20], 0.5)).toBe(20)
  expect(percentile([10, 20, 30, 40], 0.95)).toBe(40)
})

it('shares runs out in groups, of which the last may be smaller; cancelled ones count for neither', () => {
  const runs = timedRuns([
    run('d', 'succeeded', 1),
    run('c', 'cancelled', 1),
    run('b', 'failed', 1),
    run('a', 'succeeded', 1),
  ])
  expect(shares(runs, 2).map(({ succeeded, failed }) => [succeeded, failed])).toEqual([
    [1, 1],
    [1, 0],
  ])
})
