import { backoffMs } from '@workly/core'
import { Broken, type Call } from './scene.ts'
import type { Snapshot } from './snapshot.ts'
import { currentStep, settingsFor } from './steps.ts'
import type { World } from './world.ts'

/** How an attempt ended. */
export interface Ending {
  isOk: boolean
  /** Whether its class is retried while attempts are left. */
  isRetried: boolean
  retryAfterMs?: number | null
}

/** What must become of a run whose attempt has ended, told from how all stood before and from the job's settings. */
export function checkEnded(world: World, before: Snapshot, now: Snapshot, call: Call, ending: Ending): void {
  const was = before.runs.get(call.run_id)
  const run = now.runs.get(call.run_id)
  const job = before.jobs.get(call.job_id)
  if (!was || !run || !job) throw new Broken('an attempt ended that has no run or no job')
  const counted = was.attempts_counted + 1
  const retry = settingsFor(job, currentStep(before, was))
  if (ending.isOk && was.current_step + 1 < was.step_count) {
    if (run.state !== 'running' || run.current_step !== was.current_step + 1)
      throw new Broken(
        `after a success of step ${was.current_step} it is ${run.state} at ${run.current_step}`,
      )
    if (run.attempts_counted + run.lost_in_a_row > 0)
      throw new Broken('a step begins with failures of another')
    // Due at once: it has its slot, or waits for one and for nothing else.
    if (run.slot_host === null && run.due_at !== world.clock)
      throw new Broken('the next step is not due at once')
  } else if (ending.isOk) {
    if (run.state !== 'succeeded') throw new Broken(`after a success the run is ${run.state}`)
  } else if (!ending.isRetried || counted >= retry.max_attempts) {
    if (run.state !== 'failed') throw new Broken(`after its last failure the run is ${run.state}`)
  } else {
    const asked = Math.min(ending.retryAfterMs ?? 0, retry.max_backoff_seconds * 1000)
    const wait = Math.max(backoffMs(retry, counted), asked)
    if (run.state !== 'running' || run.next_attempt_at !== world.clock + wait)
      throw new Broken(`the next attempt is at ${run.next_attempt_at}, not ${wait} ms from now`)
  }
}

/** An accepted call waits for its callback, without a slot and counted as nothing yet. */
export function checkWaiting(world: World, now: Snapshot, call: Call): void {
  const run = now.runs.get(call.run_id)
  const attempt = now.attempts.get(call.attempt_id)
  if (attempt?.state !== 'waiting' || run?.current_attempt_id !== call.attempt_id || run.slot_host !== null)
    throw new Broken(`an accepted call is ${attempt?.state}, with a slot on ${run?.slot_host}`)
  if (run.next_attempt_at === null || run.next_attempt_at < world.clock)
    throw new Broken('a wait for a callback does not say until when')
}
