import { hasLabels } from '../container-label.ts'
import { type ContainerRef, ExecutorError } from '../image.ts'
import { pause } from '../patience.ts'
import type { KubeApi } from './api.ts'
import type { Job } from './objects.ts'
import { listPods } from './pod-log.ts'

/** How often to look whether all is gone, in milliseconds. */
const LOOK_MS = 300

async function deleteObject(api: KubeApi, path: string, body: object, signal: AbortSignal): Promise<void> {
  await api.find(
    { method: 'DELETE', path, body: { apiVersion: 'v1', kind: 'DeleteOptions', ...body } },
    signal,
  )
}

/** Asks once for all that is left to go. Returns whether nothing was. */
async function removeOnce(
  api: KubeApi,
  ref: ContainerRef,
  labels: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<boolean> {
  const path = `/apis/batch/v1/namespaces/${ref.namespace}/jobs/${ref.name}`
  const job = await api.find<Job>({ method: 'GET', path }, signal)
  if (job !== null && !hasLabels(job.metadata?.labels, labels)) {
    throw new ExecutorError(`The Job ${ref.name} is none of this installation's; it is left alone.`, {
      refused: true,
    })
  }
  if (job !== null && job.metadata?.deletionTimestamp === undefined) {
    // By default a deletion through the API leaves the pods behind, running.
    await deleteObject(api, path, { propagationPolicy: 'Foreground' }, signal)
  }
  const pods = await listPods(api, ref, signal)
  if (job !== null || pods.length === 0) return job === null
  // Someone deleted the Job and left its pods.
  for (const { metadata } of pods.filter(pod => hasLabels(pod.metadata?.labels, labels))) {
    if (metadata?.deletionTimestamp !== undefined) continue
    await deleteObject(api, `/api/v1/namespaces/${ref.namespace}/pods/${metadata?.name}`, {}, signal)
  }
  return false
}

/**
 * Deletes a Job with its pods and resolves when all are gone from the server, so that nothing of them runs any more.
 * @param labels without which it is someone else's, and left alone
 * @throws ExecutorError when refused or away, the signal's reason
 */
export async function removeJob(
  api: KubeApi,
  ref: ContainerRef,
  labels: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<void> {
  while (!(await removeOnce(api, ref, labels, signal))) await pause(LOOK_MS, signal)
}
