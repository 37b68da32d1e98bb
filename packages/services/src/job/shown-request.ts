import {
  type HttpRunRequest,
  type JobListItem,
  type PipelineStepRead,
  type RunRequest,
  SECRET_MASK,
} from '@workly/core'
import { readPayload } from './payload-text.ts'
import { isStoredSecret, type StoredHttpRequest, type StoredRequest } from './stored-request.ts'

/** Headers as reads show them: secrets masked. */
function shownHeaders(request: StoredHttpRequest): HttpRunRequest['headers'] {
  return Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [
      name,
      isStoredSecret(value) ? { secret: SECRET_MASK } : value,
    ]),
  )
}

/** An HTTP request in the form of settings, which can be written again. */
function httpSettings(request: StoredHttpRequest) {
  return {
    url: request.url,
    method: request.method,
    headers: shownHeaders(request),
    ...(request.payload !== undefined && { payload: readPayload(request.payload) }),
    ...(request.body !== undefined && { body: request.body }),
    ...(request.content_type !== undefined && { content_type: request.content_type }),
    response: request.response,
    timeout_seconds: request.timeout_seconds,
  }
}

/** What a job does, as reads of the job show it: the fields of a request, or `steps`. */
export function requestSettings(
  request: StoredRequest,
): Pick<JobListItem, keyof ReturnType<typeof httpSettings> | 'steps'> {
  if (request.kind !== 'pipeline') return httpSettings(request)
  const steps = request.steps.map(
    (step): PipelineStepRead => ({ id: step.id, ...httpSettings(step), ...step.retry }),
  )
  return { steps }
}

function sentRequest(request: StoredHttpRequest): HttpRunRequest {
  const isJson = request.payload !== undefined
  return {
    kind: request.kind,
    url: request.url,
    method: request.method,
    headers: shownHeaders(request),
    body: request.payload ?? request.body ?? null,
    content_type: request.content_type ?? (isJson ? 'application/json' : null),
    response: request.response,
    timeout_seconds: request.timeout_seconds,
  }
}

/** What a run does, as its page shows it: exactly what was or will be sent, but for secrets. */
export function runRequest(request: StoredRequest): RunRequest {
  if (request.kind !== 'pipeline') return sentRequest(request)
  return { kind: request.kind, steps: request.steps.map(step => ({ id: step.id, ...sentRequest(step) })) }
}
