/** JSON of any kind. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json | undefined }

export interface StoredMeta {
  name: string
  namespace?: string
  uid: string
  resourceVersion: string
  creationTimestamp: string
  deletionTimestamp?: string
  deletionGracePeriodSeconds?: number
  labels?: Record<string, string>
  annotations?: Record<string, string>
  finalizers?: string[]
  ownerReferences?: { kind: string; name: string; uid: string; controller?: boolean }[]
}

export interface StoredObject {
  apiVersion: string
  kind: string
  metadata: StoredMeta
  spec?: Record<string, Json | undefined>
  status?: Record<string, Json | undefined>
  data?: Record<string, string>
  stringData?: Record<string, string>
}

/** A refusal in Kubernetes' own form. */
export class Refusal extends Error {
  readonly code: number
  readonly reason: string
  readonly headers: Record<string, string>

  constructor(code: number, reason: string, message: string, headers: Record<string, string> = {}) {
    super(message)
    this.code = code
    this.reason = reason
    this.headers = headers
  }

  body(): object {
    const { code, reason, message } = this
    return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code }
  }
}
