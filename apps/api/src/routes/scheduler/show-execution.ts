import type { Execution, ExecutionState, ExecutionStep, RunState, SkipReason, StepState } from '@workly/core'
import { formatInstant } from '@workly/core'
import type { ListedExecution, ListedStep } from '@workly/services'
import { SCHEDULER_KINDS } from './kinds.ts'

const WHY_SKIPPED: Record<SkipReason, string> = {
  overlap: 'The execution before was still running when this one was due.',
  missed: 'Nothing could start it within a minute of its time.',
}
const OUT_OF_TIME = 'FINISHED OUT OF TIME'

/** A run in the organization scheduler's words (spec section 9). */
export function shownExecution(run: ListedExecution): Execution {
  const type = SCHEDULER_KINDS.find(({ kind }) => kind === run.kind)?.type
  if (type === undefined) throw new Error(`there is no kind ${run.kind}`)
  return {
    executionId: run.id,
    schedulerType: type,
    schedulerId: run.job,
    start: instant(run.started_at ?? run.scheduled_for),
    end: run.finished_at && instant(run.finished_at),
    state: stateOf(run),
    steps: run.steps?.map(step => shownStep(run, step)) ?? [
      { id: run.job, state: stateOf(run), ...outcomeOf(run, run) },
    ],
  }
}

function instant(at: Date): string {
  return formatInstant(at.getTime())
}

function stateOf({ state, finished_out_of_time: late }: ListedExecution): ExecutionState {
  if (state === 'pending' || state === 'running') return 'IN_PROGRESS'
  return late ? OUT_OF_TIME : 'FINISHED'
}

function shownStep(run: ListedExecution, step: ListedStep): ExecutionStep {
  const isOpen = stateOf(run) === 'IN_PROGRESS' && (step.state === 'pending' || step.state === 'running')
  const isLate = run.finished_out_of_time && step.error_class === 'callback_timeout'
  const state = isOpen ? 'IN_PROGRESS' : isLate ? OUT_OF_TIME : 'FINISHED'
  if (run.state === 'skipped') return { id: step.id, state, ...outcomeOf(run, run) }
  return { id: step.id, state, ...outcomeOf(run, step) }
}

type Outcome = Pick<ExecutionStep, 'result' | 'description'>

/** How a step, or what has only one, came out; null while it has not. */
function outcomeOf(
  run: ListedExecution,
  part: Omit<ListedStep, 'id' | 'state'> & { state: RunState | StepState },
): Outcome {
  const { state, result, description, error_class: cls, error_message: message } = part
  switch (state) {
    case 'pending':
    case 'running':
      return { result: null, description: message }
    case 'succeeded':
      return { result: result ?? 'OK', description }
    case 'cancelled':
      return { result: 'CANCELLED', description: message }
    case 'skipped':
      return { result: 'SKIPPED', description: WHY_SKIPPED[run.skip_reason ?? 'overlap'] }
    case 'not_run':
      return { result: 'NOT_RUN', description: whyNotRun(run) }
    case 'failed':
      if (run.finished_out_of_time && run.late_result && cls === 'callback_timeout') {
        return { result: run.late_result.result, description: run.late_result.description ?? message }
      }
      if (cls === 'callback_failed' && result !== null) return { result, description: description ?? message }
      return {
        result: cls === 'callback_timeout' || cls === 'timeout' ? 'TIMEOUT' : 'ERROR',
        description: message,
      }
  }
}

/** The step at which the execution stopped. */
function whyNotRun({ steps }: ListedExecution): string | null {
  const last = steps?.find(({ state }) => state === 'failed' || state === 'cancelled')
  return last
    ? `The step ${last.id} ${last.state === 'failed' ? 'failed' : 'was cancelled'} before it.`
    : null
}
