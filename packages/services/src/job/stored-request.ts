import type { METHODS, RetrySettings } from '@workly/core'

/** A secret as the request's row holds it, in place of its value, which is encrypted in `secret_values`. */
export interface StoredSecret {
  secret_value: string
}

/** Done when the response arrives, or when a callback does: then the longest wait for it, from the 2xx on. */
export type ResponseMode = 'sync' | { callback: { max_wait_seconds: number } }

/** An HTTP request, as `request_versions.request` holds it. */
export interface StoredHttpRequest {
  kind: 'http'
  url: string
  method: (typeof METHODS)[number]
  headers: Record<string, string | StoredSecret>
  /** The payload's JSON text, kept as text so that it is sent byte for byte as it was given. */
  payload?: string
  body?: string
  content_type?: string
  response: ResponseMode
  timeout_seconds: number
}

/** A secret or config map of the organization, each of whose keys becomes a variable. */
export type StoredEnvironmentSource = ({ secret: string } | { config_map: string }) & { prefix?: string }

/** A container image, as `request_versions.request` holds it. */
export interface StoredImage {
  kind: 'image'
  name: string
  tag: string
  /** In place of the image's entry point; absent where the image's own stands. */
  command?: string[]
  /** In place of the image's own arguments; absent where those stand. */
  args?: string[]
  env: Record<string, string | StoredSecret>
  env_from: StoredEnvironmentSource[]
  /** After so long the container is killed. */
  timeout_seconds: number
  /** The longest wait for its callback, from its creation on; null: its exit is its completion. */
  max_wait_seconds: number | null
}

/** What one attempt does: a job's whole request, or one step of it. */
export type StoredTarget = StoredHttpRequest | StoredImage

/** A step of a pipeline. */
export type StoredStep = StoredTarget & {
  id: string
  /** Retry settings of its own, which stand before the job's; absent where it has none. */
  retry?: Partial<RetrySettings>
}

export interface StoredPipeline {
  kind: 'pipeline'
  steps: StoredStep[]
}

/** What a job does, as `request_versions.request` holds it; its `kind` is the job's. */
export type StoredRequest = StoredTarget | StoredPipeline

export function isStoredSecret(value: string | StoredSecret): value is StoredSecret {
  return typeof value !== 'string'
}

/** What is done in turn: a pipeline's steps, or the one request. */
export function targetsOf(request: StoredRequest): StoredTarget[] {
  return request.kind === 'pipeline' ? request.steps : [request]
}

/** The step of that id; undefined where there is none. */
export function stepOf(request: StoredRequest | undefined, id: string): StoredStep | undefined {
  return request?.kind === 'pipeline' ? request.steps.find(step => step.id === id) : undefined
}

/** How many steps a run of it has; 0 for what is no pipeline. */
export function stepCountOf(request: StoredRequest): number {
  return request.kind === 'pipeline' ? request.steps.length : 0
}

/** What stands for a host where an image is run: no URL can have it. All containers of a project count as on one host. */
export const IMAGE_HOST = '*image'

/** The host that the bound on calls in flight counts: name or address with its port where one is given. */
export function hostOfTarget(
  target: Pick<StoredHttpRequest, 'kind' | 'url'> | Pick<StoredImage, 'kind'>,
): string {
  return target.kind === 'image' ? IMAGE_HOST : new URL(target.url).host
}

/** The host that a run of it calls first. */
export function hostOf(request: StoredRequest): string {
  const [first] = targetsOf(request)
  if (!first) throw new Error('a pipeline has no steps')
  return hostOfTarget(first)
}

/** What of a target may hold secrets: a request's headers, a container's environment. */
export function secretFieldOf(target: StoredTarget): Record<string, string | StoredSecret> {
  return target.kind === 'image' ? target.env : target.headers
}

/** The ids of the secret values that a request refers to. */
export function secretIdsOf(request: StoredRequest): string[] {
  return targetsOf(request).flatMap(target =>
    Object.values(secretFieldOf(target)).flatMap(value =>
      isStoredSecret(value) ? [value.secret_value] : [],
    ),
  )
}
