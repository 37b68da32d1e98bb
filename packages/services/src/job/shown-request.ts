import {
  type HttpRunRequest,
  type ImageRead,
  type ImageRunRequest,
  type JobListItem,
  type PipelineStepRead,
  type RunRequest,
  SECRET_MASK,
} from '@workly/core'
import { readPayload } from './payload-text.ts'
import {
  isStoredSecret,
  type StoredHttpRequest,
  type StoredImage,
  type StoredRequest,
  type StoredTarget,
  secretFieldOf,
} from './stored-request.ts'

/** Headers, or an environment, as reads show them: secrets masked. */
function masked(target: StoredTarget): HttpRunRequest['headers'] {
  return Object.fromEntries(
    Object.entries(secretFieldOf(target)).map(([name, value]) => [
      name,
      isStoredSecret(value) ? { secret: SECRET_MASK } : value,
    ]),
  )
}

/** An image in the form of settings, which can be written again. */
function shownImage(image: StoredImage): ImageRead {
  return {
    name: image.name,
    tag: image.tag,
    ...(image.command && { command: image.command }),
    ...(image.args && { args: image.args }),
    env: masked(image),
    env_from: image.env_from,
    timeout_seconds: image.timeout_seconds,
    max_wait_seconds: image.max_wait_seconds,
  }
}

/** An HTTP request in the form of settings, which can be written again. */
function httpSettings(request: StoredHttpRequest) {
  return {
    url: request.url,
    method: request.method,
    headers: masked(request),
    ...(request.payload !== undefined && { payload: readPayload(request.payload) }),
    ...(request.body !== undefined && { body: request.body }),
    ...(request.content_type !== undefined && { content_type: request.content_type }),
    response: request.response,
    timeout_seconds: request.timeout_seconds,
  }
}

function targetSettings(target: StoredTarget) {
  return target.kind === 'image' ? { image: shownImage(target) } : httpSettings(target)
}

/** What a job does, as reads of the job show it: the fields of a request, an `image`, or `steps`. */
export function requestSettings(
  request: StoredRequest,
): Pick<JobListItem, keyof ReturnType<typeof httpSettings> | 'image' | 'steps'> {
  if (request.kind !== 'pipeline') return targetSettings(request)
  const steps = request.steps.map(
    (step): PipelineStepRead => ({ id: step.id, ...targetSettings(step), ...step.retry }),
  )
  return { steps }
}

function sentRequest(request: StoredHttpRequest): HttpRunRequest {
  const isJson = request.payload !== undefined
  return {
    kind: request.kind,
    url: request.url,
    method: request.method,
    headers: masked(request),
    body: request.payload ?? request.body ?? null,
    content_type: request.content_type ?? (isJson ? 'application/json' : null),
    response: request.response,
    timeout_seconds: request.timeout_seconds,
  }
}

function doneTarget(target: StoredTarget): HttpRunRequest | ImageRunRequest {
  return target.kind === 'image' ? { kind: target.kind, ...shownImage(target) } : sentRequest(target)
}

/** What a run does, as its page shows it: exactly what was or will be sent or run, but for secrets. */
export function runRequest(request: StoredRequest): RunRequest {
  if (request.kind !== 'pipeline') return doneTarget(request)
  return { kind: request.kind, steps: request.steps.map(step => ({ id: step.id, ...doneTarget(step) })) }
}
