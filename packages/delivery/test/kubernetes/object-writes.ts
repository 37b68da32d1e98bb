import { randomUUID } from 'node:crypto'
import type { ObjectStore } from './object-store.ts'
import { notFound, seconds } from './object-store.ts'
import { KINDS, type ResourceKind } from './resource-kinds.ts'
import { type Json, Refusal, type StoredObject } from './stored-object.ts'
import { validate } from './validation.ts'

export interface DeleteOptions {
  propagationPolicy?: 'Foreground' | 'Background' | 'Orphan'
  gracePeriodSeconds?: number
  preconditions?: { uid?: string }
}

export function kindOf(plural: string): ResourceKind {
  const found = KINDS.find(kind => kind.plural === plural)
  if (found === undefined)
    throw new Refusal(404, 'NotFound', 'the server could not find the requested resource')
  return found
}

/** What a Job's strategy adds: the labels by which the Job and its pods find each other. */
function defaultJob(job: StoredObject): void {
  const uid = randomUUID()
  const spec = job.spec ?? {}
  const template = (spec.template ?? {}) as { metadata?: { labels?: Record<string, string> } }
  const labels = {
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': job.metadata.name,
    'controller-uid': uid,
    'job-name': job.metadata.name,
  }
  template.metadata = { ...template.metadata, labels: { ...template.metadata?.labels, ...labels } }
  job.spec = {
    parallelism: 1,
    completions: 1,
    ...spec,
    backoffLimit: spec.backoffLimit ?? 6,
    template: template as Json,
    selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } },
  }
  job.status = {}
}

function encodeSecret(secret: StoredObject): void {
  for (const [key, value] of Object.entries(secret.stringData ?? {})) {
    secret.data = { ...secret.data, [key]: Buffer.from(value).toString('base64') }
  }
  delete secret.stringData
}

export function createObject(
  store: ObjectStore,
  kind: ResourceKind,
  namespace: string | undefined,
  given: StoredObject,
): StoredObject {
  if (namespace !== undefined && store.find(kindOf('namespaces'), undefined, namespace) === null) {
    throw notFound(kindOf('namespaces'), namespace)
  }
  if (given.metadata?.namespace !== undefined && given.metadata.namespace !== namespace) {
    throw new Refusal(400, 'BadRequest', 'the namespace of the provided object does not match the request')
  }
  validate(kind, given)
  const object = structuredClone(given)
  if (kind.plural === 'jobs') defaultJob(object)
  if (kind.plural === 'secrets') encodeSecret(object)
  if (kind.plural === 'namespaces') {
    object.metadata.labels = {
      ...object.metadata.labels,
      'kubernetes.io/metadata.name': object.metadata.name,
    }
  }
  return store.create(kind, namespace, object)
}

function merged(base: Json | undefined, patch: Json | undefined): Json | undefined {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch
  const into = typeof base === 'object' && base !== null && !Array.isArray(base) ? { ...base } : {}
  for (const [key, value] of Object.entries(patch)) {
    const result = value === null ? undefined : merged(into[key], value)
    if (result === undefined) delete into[key]
    else into[key] = result
  }
  return into
}

/** Merge patches, and server-side apply, which makes what is not there and sets the fields that it names. */
export function patchObject(
  store: ObjectStore,
  kind: ResourceKind,
  target: { namespace: string | undefined; name: string },
  patch: { body: Json; isApply: boolean },
): { created: boolean; object: StoredObject } {
  const { namespace, name } = target
  if (store.find(kind, namespace, name) === null) {
    if (!patch.isApply) throw notFound(kind, name)
    const object = createObject(store, kind, namespace, patch.body as unknown as StoredObject)
    return { created: true, object }
  }
  const object = store.update(kind, namespace, name, current => {
    const { uid, resourceVersion, creationTimestamp } = current.metadata
    Object.assign(current, merged(current as unknown as Json, patch.body))
    Object.assign(current.metadata, { uid, resourceVersion, creationTimestamp })
    validate(kind, current)
  })
  if (object === null) throw notFound(kind, name)
  return { created: false, object }
}

/** Deletions take their time: a pod has a grace, a Job may wait for its pods; others are gone at once. */
export function deleteObject(
  store: ObjectStore,
  kind: ResourceKind,
  target: { namespace: string | undefined; name: string },
  options: DeleteOptions,
): StoredObject {
  const { namespace, name } = target
  const object = store.get(kind, namespace, name)
  const wantedUid = options.preconditions?.uid
  if (wantedUid !== undefined && wantedUid !== object.metadata.uid) {
    throw new Refusal(409, 'Conflict', `the UID in the precondition (${wantedUid}) does not match`)
  }
  if (kind.plural === 'pods') return deletePod(store, object, options.gracePeriodSeconds)
  if (kind.plural !== 'jobs') {
    store.delete(kind, namespace, name)
    return object
  }
  const policy = options.propagationPolicy ?? 'Orphan'
  if (policy === 'Foreground') {
    const changed = store.update(kind, namespace, name, job => {
      job.metadata.deletionTimestamp ??= seconds(Date.now())
      job.metadata.deletionGracePeriodSeconds = 0
      job.metadata.finalizers = ['foregroundDeletion']
    })
    return changed ?? object
  }
  if (policy === 'Orphan') orphanPods(store, object)
  store.delete(kind, namespace, name)
  return object
}

function orphanPods(store: ObjectStore, job: StoredObject): void {
  const pods = kindOf('pods')
  for (const pod of store.list(pods, job.metadata.namespace)) {
    if (pod.metadata.ownerReferences?.[0]?.uid !== job.metadata.uid) continue
    store.update(pods, pod.metadata.namespace, pod.metadata.name, changed => {
      changed.metadata.ownerReferences = []
    })
  }
}

/** The kubelet sees the mark, ends the containers, and only then is the pod gone. */
function deletePod(store: ObjectStore, pod: StoredObject, grace: number | undefined): StoredObject {
  const kind = kindOf('pods')
  const { namespace, name } = pod.metadata
  const wait = grace ?? Number(pod.spec?.terminationGracePeriodSeconds ?? 30)
  if (wait === 0) {
    store.delete(kind, namespace, name)
    return pod
  }
  const changed = store.update(kind, namespace, name, ({ metadata }) => {
    if (metadata.deletionTimestamp !== undefined) return
    metadata.deletionTimestamp = seconds(Date.now() + wait * 1000)
    metadata.deletionGracePeriodSeconds = wait
  })
  return changed ?? pod
}
