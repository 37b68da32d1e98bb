import type { RetrySettings } from '@workly/core'
import { Broken } from './scene.ts'
import { isOpen, type JobRow, type RunRow, type Snapshot, type StepRow } from './snapshot.ts'

/** The step that a run is at; undefined where it is no pipeline. */
export function currentStep(now: Snapshot, run: RunRow): StepRow | undefined {
  return now.steps.get(run.id)?.[run.current_step]
}

/** The first step of an ended run that did not succeed, if it failed or was cancelled: where a retry may start. */
export function failedStep(now: Snapshot, run: RunRow): StepRow | undefined {
  const first = now.steps.get(run.id)?.find(step => step.state !== 'succeeded')
  return first?.state === 'failed' || first?.state === 'cancelled' ? first : undefined
}

/** The retry settings for what a run is at: the job's present ones, and of its step of that id before them. */
export function settingsFor(job: JobRow, step: StepRow | undefined): RetrySettings {
  const own = step && job.steps?.find(other => other.id === step.step_id)?.retry
  return { ...job, backoff_multiplier: 2, retry_on_4xx: false, ...own }
}

/** The steps of every pipeline stand as its run does. */
export function checkSteps(now: Snapshot): void {
  for (const run of now.runs.values()) {
    const steps = now.steps.get(run.id) ?? []
    const broken = (what: string) =>
      new Broken(
        `run ${run.id} (${run.state}) ${what}: ${steps.map(s => `${s.step_id} ${s.state}`).join(', ')}`,
      )
    if (steps.length !== run.step_count) throw broken(`has ${steps.length} steps of ${run.step_count}`)
    if (run.step_count > 0) checkPipeline(now, run, steps, broken)
  }
}

/** What the step that a run is at may be, by the state of the run. */
const AT: Record<RunRow['state'], StepRow['state'][]> = {
  pending: ['pending'],
  running: ['pending', 'running'],
  succeeded: ['succeeded'],
  failed: ['failed'],
  cancelled: ['cancelled'],
  skipped: ['not_run'],
}

function checkPipeline(now: Snapshot, run: RunRow, steps: StepRow[], broken: (what: string) => Broken): void {
  const at = steps[run.current_step]
  if (!at) throw broken('is at no step of its own')
  if (!AT[run.state].includes(at.state)) throw broken(`is at step ${run.current_step}`)
  const rest = isOpen(run) ? 'pending' : 'not_run'
  for (const step of steps) {
    if (step.position < at.position && step.state !== 'succeeded') throw broken('has gone past a step')
    if (step.position > at.position && step.state !== rest) throw broken('has been ahead')
    const hasEnded = ['succeeded', 'failed', 'cancelled'].includes(step.state)
    if (hasEnded !== (step.finished_at !== null))
      throw broken('has a step that ended at no time, or at one too many')
    if ((step.error_class !== null) !== ['failed', 'cancelled'].includes(step.state))
      throw broken('has a step with an error that it should not have, or without')
    const made = [...now.attempts.values()].filter(a => a.run_id === run.id && a.step_id === step.step_id)
    const numbers = made.map(a => a.number).sort((a, b) => a - b)
    if (numbers.join() !== Array.from({ length: step.attempts_made }, (_, i) => i + 1).join())
      throw broken(`has attempts ${numbers} of ${step.attempts_made} of ${step.step_id}`)
  }
  if (run.host !== at.host) throw broken(`waits for ${run.host} and is to call ${at.host}`)
  if (run.attempts_made !== at.attempts_made) throw broken('counts other attempts than its step')
  const open = now.attempts.get(run.current_attempt_id ?? '')
  if (open && (open.step_id !== at.step_id || at.state !== 'running'))
    throw broken('calls another step than it is at')
}
