import {
  ASYNC_TIMEOUT_SECONDS,
  type Image,
  type ImageExecution,
  type ImageSchedulation,
  type JobPut,
  type PipelineSchedulation,
  type PipelineStep,
  type RestRequestSchedulation,
  type SchedulerSchedule,
  type SchedulerStep,
} from '@workly/core'

/** A schedulation of any kind, as its schema has read it. */
export type Schedulation = RestRequestSchedulation | ImageSchedulation | PipelineSchedulation

/** The same of which parts are missing, since they could not be read. */
type Part<T> = T extends readonly (infer Item)[]
  ? (Part<Item> | undefined)[]
  : T extends object
    ? { [Name in keyof T]?: Part<T[Name]> | undefined }
    : T

export type PartialSchedulation = Part<RestRequestSchedulation> &
  Part<ImageSchedulation> &
  Part<PipelineSchedulation>

/** What (c) says of every job made there (spec section 4); the rest stands at Workly's defaults. */
const SETTINGS = { dialect: 'extended', max_attempts: 1, overlap: 'skip' } as const

/** The settings of a job that a schedulation says. What is not given is left out. */
export function jobOf(sent: PartialSchedulation): JobPut {
  const steps = sent.pipeline?.steps ?? sent.steps
  return {
    ...scheduleFields(sent.schedule ?? {}),
    ...(steps ? { steps: steps.map(step => stepOf(step ?? {})) } : targetFields(sent)),
    ...SETTINGS,
  }
}

function scheduleFields({ cron, interval, executeNow, from, to }: Part<SchedulerSchedule>) {
  return given({
    cron: cron?.expression,
    timezone: cron?.timeZone,
    interval_minutes: interval?.minutes,
    from,
    to,
    execute_now: executeNow,
  })
}

function stepOf(step: Part<SchedulerStep>): PipelineStep {
  return { ...given({ id: step.id }), ...targetFields(step) } as PipelineStep
}

/** The request of a job or of a step and how it is known to be done, or its image. */
function targetFields({ restRequest, response, imageExecution }: Omit<Part<SchedulerStep>, 'id'>) {
  if (imageExecution) return { image: imageOf(imageExecution) }
  const { method, url, headers, body } = restRequest ?? {}
  const wait = response?.async?.maxTimeToWaitCallback
  return given({
    url,
    method,
    headers,
    ...(typeof body === 'string' ? { body } : { payload: body }),
    ...(response?.async
      ? { timeout_seconds: ASYNC_TIMEOUT_SECONDS, response: wait && { callback: { max_wait_seconds: wait } } }
      : { timeout_seconds: response?.sync?.timeout }),
  }) as Pick<JobPut, 'url' | 'method' | 'headers' | 'body' | 'payload' | 'response' | 'timeout_seconds'>
}

function imageOf(sent: Part<ImageExecution>): Image {
  const { name, tag, env, envFrom, timeout, maxTimeToWaitCallback } = sent
  return given({
    name,
    tag,
    env,
    env_from: envFrom?.map(source => {
      const { secret, configMap, prefix } = source ?? {}
      return given({ secret, config_map: configMap, prefix })
    }),
    timeout_seconds: timeout,
    max_wait_seconds: maxTimeToWaitCallback,
  }) as Image
}

/** The fields that have a value; null is one. */
function given<T extends object>(fields: T): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>
}
