import type { METHODS } from '@workly/core'

/** A secret header as the request's row holds it: the value itself is encrypted in `secret_values`. */
export interface StoredSecret {
  secret_value: string
}

/** Done when the response arrives, or when a callback does: then the longest wait for it, from the 2xx on. */
export type ResponseMode = 'sync' | { callback: { max_wait_seconds: number } }

/** What a job of kind http sends, as `request_versions.request` holds it. */
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

export type StoredRequest = StoredHttpRequest

export function isStoredSecret(value: string | StoredSecret): value is StoredSecret {
  return typeof value !== 'string'
}

/** The host that the bound on calls in flight counts: name or address with its port where one is given. */
export function hostOf(request: StoredRequest): string {
  return new URL(request.url).host
}

/** The ids of the secret values that a request refers to. */
export function secretIdsOf(request: StoredRequest): string[] {
  return Object.values(request.headers).flatMap(value => (isStoredSecret(value) ? [value.secret_value] : []))
}
