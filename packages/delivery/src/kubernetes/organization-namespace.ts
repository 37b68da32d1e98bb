import { lookup } from 'node:dns/promises'
import type { V1PersistentVolumeClaim } from '@kubernetes/client-node'
import { literalAddress } from '@workly/core'
import {
  hasLabels,
  MANAGED_BY,
  managedBy,
  namespaceOf,
  ORGANIZATION,
  organizationOf,
} from '../container-label.ts'
import { ExecutorError, type ImageSpec } from '../image.ts'
import { pause } from '../patience.ts'
import type { KubeApi } from './api.ts'
import { ApiAnswer } from './api-answer.ts'
import { type CallbackAddress, type Egress, networkPolicy } from './network-policy.ts'
import type { KubeObject } from './objects.ts'

/** The claim of an organization's file space, mounted at `/data`. */
export const DATA_CLAIM = 'data'

export interface DataVolume {
  /** A quantity such as `10Gi`. */
  size: string
  /** Null for the cluster's default. */
  storageClass: string | null
  /** `ReadWriteMany` where containers of one organization run on several nodes at once. */
  accessMode: 'ReadWriteOnce' | 'ReadWriteMany'
}

export interface NamespaceSettings {
  installation: string
  data: DataVolume
  egress: Egress
  /** How long a namespace that was found in order is trusted, in milliseconds. */
  trustedMs: number
}

/** How long a namespace that was found in order is trusted by default, in milliseconds. */
export const TRUSTED_MS = 5 * 60_000

/** Server-side apply makes an object, or sets just these fields of it, whichever is needed. */
const APPLY = { contentType: 'application/apply-patch+yaml', query: { fieldManager: 'workly', force: true } }

/** @throws ExecutorError when the name can't be looked up now */
async function callbackAddress(callbackUri: string): Promise<CallbackAddress> {
  const { hostname, port, protocol } = new URL(callbackUri)
  const number = port === '' ? (protocol === 'http:' ? 80 : 443) : Number(port)
  const literal = literalAddress(hostname)
  if (literal !== null) return { addresses: [literal], port: number }
  try {
    const found = await lookup(hostname, { all: true })
    return { addresses: found.map(({ address }) => address), port: number }
  } catch (error) {
    const message = `The callback's host ${hostname} could not be looked up, so no network policy can let it through.`
    throw new ExecutorError(message, { refused: false, cause: error })
  }
}

/** The namespaces of organizations: made when first needed, set right again every few minutes while in use. */
export class OrganizationNamespaces {
  readonly #api: KubeApi
  readonly #settings: NamespaceSettings
  readonly #readyAt = new Map<string, number>()
  /** Of the latest start. Callbacks of all organizations go to one address. */
  #callbackUri: string | null = null

  constructor(api: KubeApi, settings: NamespaceSettings) {
    this.#api = api
    this.#settings = settings
  }

  /** To be called when the server says that a namespace is not there after all. */
  forget(namespace: string): void {
    this.#readyAt.delete(namespace)
  }

  /**
   * Puts the namespace, its network policy and its volume's claim in order. Doing so twice at once does no harm.
   * @throws ExecutorError when refused (also where someone else's namespace has the name) or away, the signal's reason
   */
  async prepare(spec: Pick<ImageSpec, 'organizationId' | 'callbackUri'>, signal: AbortSignal): Promise<void> {
    const namespace = namespaceOf(spec.organizationId)
    this.#callbackUri = spec.callbackUri
    const now = performance.now()
    if (now - (this.#readyAt.get(namespace) ?? Number.NEGATIVE_INFINITY) < this.#settings.trustedMs) return
    const callback = await callbackAddress(spec.callbackUri)
    await this.#checkOwner(namespace, spec.organizationId, signal)
    const labels = { ...managedBy(this.#settings.installation), [ORGANIZATION]: spec.organizationId }
    await this.#apply(`/api/v1/namespaces/${namespace}`, namespaceManifest(namespace, labels), signal)
    await this.#apply(
      `/apis/networking.k8s.io/v1/namespaces/${namespace}/networkpolicies/workly`,
      networkPolicy(namespace, labels, this.#settings.egress, callback),
      signal,
    )
    await this.#claimData(namespace, labels, signal)
    this.#readyAt.set(namespace, now)
  }

  /**
   * Keeps a namespace in order as long as the signal lets it; what cannot be done now is done the next time. Before this
   * process has started a container it does not know where callbacks go, and leaves all as it is.
   */
  async keep(namespace: string, signal: AbortSignal): Promise<void> {
    const organizationId = organizationOf(namespace)
    while (!signal.aborted) {
      await pause(this.#settings.trustedMs, signal).catch(() => {})
      const callbackUri = this.#callbackUri
      if (signal.aborted || callbackUri === null) continue
      await this.prepare({ organizationId, callbackUri }, signal).catch(() => {})
    }
  }

  async #apply(path: string, body: object, signal: AbortSignal): Promise<void> {
    await this.#api.request({ method: 'PATCH', path, body, ...APPLY }, signal)
  }

  async #checkOwner(namespace: string, organizationId: string, signal: AbortSignal): Promise<void> {
    const path = `/api/v1/namespaces/${namespace}`
    const found = await this.#api.find<KubeObject>({ method: 'GET', path }, signal)
    if (found === null) return
    if (!hasLabels(found.metadata?.labels, { [MANAGED_BY]: 'workly', [ORGANIZATION]: organizationId })) {
      throw new ExecutorError(
        `The namespace ${namespace} exists and is not labelled as this organization's.`,
        {
          refused: true,
        },
      )
    }
    if (found.metadata?.deletionTimestamp !== undefined) {
      throw new ExecutorError(`The namespace ${namespace} is being deleted.`, { refused: false })
    }
  }

  /** A claim is made and never changed: most of it can't be, and its size is the operator's to raise. */
  async #claimData(namespace: string, labels: Record<string, string>, signal: AbortSignal): Promise<void> {
    const path = `/api/v1/namespaces/${namespace}/persistentvolumeclaims`
    if ((await this.#api.find({ method: 'GET', path: `${path}/${DATA_CLAIM}` }, signal)) !== null) return
    const body = claimManifest(namespace, labels, this.#settings.data)
    try {
      await this.#api.request({ method: 'POST', path, body }, signal)
    } catch (error) {
      // Another 409, as of a quota that is just being reckoned, leaves no claim.
      if (!(error instanceof ApiAnswer && error.reason === 'AlreadyExists')) throw error
    }
  }
}

function namespaceManifest(name: string, labels: Record<string, string>) {
  // Pods that ask for more than Pod Security's baseline are refused, whoever makes them.
  const security = { 'pod-security.kubernetes.io/enforce': 'baseline' }
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: { ...labels, ...security } } }
}

function claimManifest(
  namespace: string,
  labels: Record<string, string>,
  data: DataVolume,
): V1PersistentVolumeClaim {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: DATA_CLAIM, namespace, labels },
    spec: {
      accessModes: [data.accessMode],
      resources: { requests: { storage: data.size } },
      ...(data.storageClass === null ? {} : { storageClassName: data.storageClass }),
    },
  }
}
