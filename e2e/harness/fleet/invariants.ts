import { expect } from '@playwright/test'
import type { LoggedCall } from './fleet-target.ts'
import type { SeenAttempt, SeenRun, Span } from './internals.ts'

/** A lease of 15 s, a sweep every 3 s. */
export const LEASE_AND_SWEEP_MS = 18_000
/** On a machine that others keep busy. */
const SLACK_MS = 4_000

/** What is left when everything has ended. */
export interface Remains {
  runs: SeenRun[]
  attempts: SeenAttempt[]
  calls: LoggedCall[]
  spans: Span[]
  timeoutMs: number
  /** How long nobody could have gone on: no worker, or no database. */
  outageMs: number
}

const keyOf = (run: string, step: string, attempt: number) => `${run} ${step} ${attempt}`

/** I1: each second from a job's creation to its pause has one run, and there are no others. */
export function expectOneRunEachSecond({ runs, spans }: Pick<Remains, 'runs' | 'spans'>): void {
  const byJob = Map.groupBy(
    runs.filter(run => run.trigger === 'schedule'),
    run => run.job,
  )
  for (const { job, created_at, paused_at } of spans) {
    if (!paused_at) throw new Error(`${job} was not paused`)
    const due: string[] = []
    const first = Math.floor(created_at.getTime() / 1_000) + 1
    for (let second = first; second * 1_000 <= paused_at.getTime(); second++)
      due.push(new Date(second * 1_000).toISOString())
    const found = (byJob.get(job) ?? []).map(run => run.scheduled_for.toISOString())
    expect(found, `I1: ${job} has one run for each second`).toEqual(due)
  }
}

/** I2: everything has ended, and no call was under way past its timeout, a lease and a sweep. */
export function expectNothingRanTooLong({ runs, attempts, timeoutMs, outageMs }: Remains): void {
  const ended = ['succeeded', 'failed', 'cancelled', 'skipped']
  expect(
    runs.filter(run => !ended.includes(run.state)),
    'I2: every run has ended',
  ).toEqual([])
  const most = timeoutMs + LEASE_AND_SWEEP_MS + SLACK_MS + outageMs
  const tooLong = attempts.filter(
    a => a.finished_at === null || a.finished_at.getTime() - a.started_at.getTime() > most,
  )
  expect(tooLong, `I2: no call was under way for over ${most} ms`).toEqual([])
}

/** I3: what the target logged and the attempts agree both ways, and every run has reached its target. */
export function expectLogAndAttemptsAgree({ runs, attempts, calls }: Remains): void {
  const logged = Map.groupBy(calls, call => keyOf(call.run, call.step, call.attempt))
  const known = new Map(attempts.map(a => [keyOf(a.run_id, a.step_id, a.number), a]))
  const twice = [...logged].filter(([, same]) => same.length > 1).map(([key]) => key)
  expect(twice, 'I3: no attempt has called twice').toEqual([])
  const unknown = [...logged.keys()].filter(key => !known.has(key))
  expect(unknown, 'I3: every call that was logged has its attempt').toEqual([])
  const silent = attempts.filter(
    a => a.response_status !== null && !logged.has(keyOf(a.run_id, a.step_id, a.number)),
  )
  expect(silent, 'I3: every attempt with an answer has called').toEqual([])
  const differing = attempts.filter(a => {
    const [call] = logged.get(keyOf(a.run_id, a.step_id, a.number)) ?? []
    return a.response_status !== null && call?.answered !== a.response_status
  })
  expect(differing, 'I3: every attempt has the answer that was given').toEqual([])
  const reached = new Set(calls.map(call => call.run))
  const missed = runs.filter(run => run.state !== 'skipped' && !reached.has(run.id))
  expect(missed, 'I3: every run has reached its target').toEqual([])
}

/** Nothing fails when its target does not: only a call that three workers in a row died with may. */
export function expectNoneFailed({ runs }: Pick<Remains, 'runs'>): void {
  expect(
    runs.filter(run => run.state !== 'succeeded' && !(run.state === 'failed' && run.error_class === 'lost')),
    'no run has failed but by three deaths',
  ).toEqual([])
}
