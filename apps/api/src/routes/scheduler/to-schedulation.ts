import type {
  ImageExecutionRead,
  ImageRead,
  JobListItem,
  PipelineStepRead,
  SchedulerScheduleRead,
  SchedulerStepRead,
} from '@workly/core'

/**
 * A job in the organization scheduler's words (spec section 9). What those have no word for (retries, overlap, tags,
 * whether it is paused) is left out: `/v1/jobs` says it.
 */
export function schedulationOf(job: JobListItem) {
  const { name: id } = job
  const schedule = scheduleOf(job)
  if (job.steps === undefined) return { id, schedule, ...targetOf(job) }
  return { id, schedule, pipeline: { steps: job.steps.map(stepOf) } }
}

function scheduleOf({ cron, timezone, interval_minutes: minutes, at, from, to }: JobListItem) {
  return {
    ...(cron !== null && { cron: { expression: cron, timeZone: timezone } }),
    ...(minutes !== null && { interval: { minutes } }),
    ...(at !== null && { at }),
    executeNow: false,
    ...(from !== null && { from }),
    ...(to !== null && { to }),
  } satisfies SchedulerScheduleRead
}

function stepOf(step: PipelineStepRead) {
  return { id: step.id, ...targetOf(step) }
}

/** What is sent and how it is known to be done, or what is run. */
function targetOf(target: JobListItem | PipelineStepRead): Omit<SchedulerStepRead, 'id'> {
  if (target.image) return { imageExecution: imageExecutionOf(target.image) }
  const { method = 'POST', url = '', response, timeout_seconds: timeout = 0 } = target
  return {
    restRequest: { method, url, ...contentOf(target) },
    response:
      response === undefined || response === 'sync'
        ? { sync: { timeout } }
        : { async: { maxTimeToWaitCallback: response.callback.max_wait_seconds } },
  }
}

function imageExecutionOf({
  env_from: sources,
  timeout_seconds: timeout,
  max_wait_seconds: maxTimeToWaitCallback,
  ...image
}: ImageRead): ImageExecutionRead {
  const envFrom = sources.map(({ config_map: configMap, ...source }) => ({
    ...source,
    ...(configMap !== undefined && { configMap }),
  }))
  return { ...image, envFrom, timeout, maxTimeToWaitCallback }
}

/**
 * A content type stands among the headers here. A payload that is itself a string is shown as its JSON text, since a
 * string is sent as it is.
 */
function contentOf(target: JobListItem | PipelineStepRead) {
  const { headers = {}, payload, body, content_type: type } = target
  const isText = typeof payload === 'string'
  const named = Object.keys(headers).some(name => name.toLowerCase() === 'content-type')
  const contentType = type ?? (isText && !named ? 'application/json' : undefined)
  return {
    headers: { ...headers, ...(contentType !== undefined && { 'Content-Type': contentType }) },
    ...(body !== undefined && { body }),
    ...(payload !== undefined && { body: isText ? JSON.stringify(payload) : payload }),
  }
}
