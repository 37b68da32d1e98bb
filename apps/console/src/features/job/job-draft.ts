import type { PipelineStepRead } from '@workly/core'
import { emptyTarget, type ReadTarget, type TargetDraft, targetDraft } from '#features/target/target-draft.ts'
import type { JobSettings } from '#trpc/router.ts'
import { EMPTY_RETRY, type RetryDraft, retryDraft } from './retry-draft.ts'

/** A step of a pipeline as it was typed. */
export interface StepDraft extends TargetDraft {
  /** Tells the steps apart while they are edited; never sent. */
  key: string
  id: string
  /** The id it is stored under: what its masks stand for. Null for a new step. */
  storedId: string | null
  hasOwnRetry: boolean
  retry: RetryDraft
}

/** What the form of a job holds, as it was typed. Empty numbers and choices are left to the defaults. */
export interface JobDraft {
  name: string
  description: string
  /** Separated by commas. */
  tags: string
  when: 'cron' | 'interval' | 'at'
  cron: string
  dialect: 'standard' | 'extended'
  intervalMinutes: string
  at: string
  timezone: string
  /** Bounds of the scheduled times; empty for none. */
  from: string
  to: string
  /** Run once as soon as it is made; only of a new job. */
  executeNow: boolean
  kind: 'http' | 'image' | 'pipeline'
  /** What a job that is no pipeline does. */
  target: Pick<TargetDraft, 'http' | 'image'>
  steps: StepDraft[]
  retry: RetryDraft
  overlap: '' | 'skip' | 'queue' | 'allow'
  missed: '' | 'skip' | 'catch_up'
}

export function emptyStep(key: string): StepDraft {
  return { ...emptyTarget(), key, id: '', storedId: null, hasOwnRetry: false, retry: EMPTY_RETRY }
}

/** A pipeline has two steps at least, so a new one begins with them. */
const firstSteps = () => [emptyStep('first'), emptyStep('second')]

export function emptyDraft(timezone: string): JobDraft {
  return {
    name: '',
    description: '',
    tags: '',
    when: 'cron',
    cron: '0 3 * * *',
    dialect: 'standard',
    intervalMinutes: '15',
    at: '',
    timezone,
    from: '',
    to: '',
    executeNow: false,
    kind: 'http',
    target: emptyTarget(),
    steps: firstSteps(),
    retry: EMPTY_RETRY,
    overlap: '',
    missed: '',
  }
}

function whenOf(job: JobSettings['job']): JobDraft['when'] {
  if (job.cron !== null) return 'cron'
  return job.interval_minutes === null ? 'at' : 'interval'
}

type ReadStep = ReadTarget & Omit<PipelineStepRead, 'payload'>

function stepDraft(step: ReadStep): StepDraft {
  const retry = retryDraft(step)
  const hasOwnRetry = Object.values(retry).some(value => value !== '')
  return { ...targetDraft(step), key: step.id, id: step.id, storedId: step.id, hasOwnRetry, retry }
}

/** A job as the form shows it at first. */
export function draftOf({ job }: Pick<JobSettings, 'job'>): JobDraft {
  return {
    name: job.name,
    description: job.description,
    tags: job.tags.join(', '),
    when: whenOf(job),
    cron: job.cron ?? '',
    dialect: job.dialect,
    intervalMinutes: String(job.interval_minutes ?? ''),
    at: job.at ?? '',
    timezone: job.timezone,
    from: job.from ?? '',
    to: job.to ?? '',
    executeNow: false,
    kind: job.kind,
    target: job.kind === 'pipeline' ? emptyTarget() : targetDraft(job),
    steps: job.steps?.map(stepDraft) ?? firstSteps(),
    retry: retryDraft(job),
    overlap: job.overlap,
    missed: job.missed,
  }
}
