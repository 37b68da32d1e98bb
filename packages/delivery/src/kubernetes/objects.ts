/**
 * What Workly reads of Kubernetes' objects, as they are on the wire (the client's own types hold dates where the wire has
 * text). Everything may be absent.
 */
export interface ObjectMeta {
  name?: string
  namespace?: string
  uid?: string
  resourceVersion?: string
  labels?: Record<string, string>
  creationTimestamp?: string
  /** When it has to be gone at the latest: the moment of the request plus the grace. */
  deletionTimestamp?: string
  deletionGracePeriodSeconds?: number
}

export interface KubeObject {
  metadata?: ObjectMeta
}

export interface KubeList<T> {
  metadata?: { resourceVersion?: string; continue?: string }
  items?: T[]
}

export interface Condition {
  type: string
  status: string
  reason?: string
  message?: string
}

export interface Job extends KubeObject {
  spec?: { activeDeadlineSeconds?: number }
  status?: { conditions?: Condition[]; active?: number }
}

export interface ContainerState {
  waiting?: { reason?: string; message?: string }
  running?: { startedAt?: string }
  terminated?: { exitCode: number; reason?: string; message?: string; finishedAt?: string }
}

export interface Pod extends KubeObject {
  spec?: { containers?: { name: string; resources?: { limits?: Record<string, string> } }[] }
  status?: {
    phase?: string
    reason?: string
    message?: string
    conditions?: Condition[]
    containerStatuses?: { name: string; state?: ContainerState }[]
  }
}

/** The name of the container that is the customer's; whatever else a cluster puts into a pod is no business of a run. */
export const MAIN_CONTAINER = 'main'

/** Set by the Job controller on its pods. */
export const JOB_NAME_LABEL = 'batch.kubernetes.io/job-name'

export function conditionOf(
  conditions: readonly Condition[] | undefined,
  ...types: string[]
): Condition | undefined {
  return conditions?.find(({ type, status }) => status === 'True' && types.includes(type))
}
