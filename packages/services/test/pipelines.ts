import type { JobPut, PipelineStep, Run } from '@workly/core'
import type { BegunAttempt } from '../src/attempt/begin-attempts.ts'
import { getRun } from '../src/run/get-run.ts'
import type { Desk } from './job-desk.ts'

/** A step that calls https://<id>.example/, unless told otherwise. */
export function step(id: string, more: Partial<PipelineStep> = {}): PipelineStep {
  return { id, url: `https://${id}.example/`, ...more }
}

/** Settings of a pipeline; without `steps`: load, train and report. */
export function pipeline(more: Partial<JobPut> = {}): Partial<JobPut> {
  const steps = ['load', 'train', 'report'].map(id => step(id))
  return { url: null, steps, min_backoff_seconds: 0, max_backoff_seconds: 0, ...more }
}

/** `load succeeded 1`, …: each step of a run with its state and its attempts. */
export function stepStates(run: Run): string[] {
  return run.steps.map(s => `${s.id} ${s.state} ${s.attempts_made}`)
}

/** `load#1`: the step and number of an attempt that has begun. */
export function stepNumber(attempt: BegunAttempt): string {
  return `${attempt.step_id}#${attempt.number}`
}

/** The run as its page shows it. */
export function shown(desk: Desk, runId: string): Promise<Run> {
  return getRun(desk.ctx, runId)
}
