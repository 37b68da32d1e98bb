import { listed } from '../container-label.ts'
import type { ListedContainer } from '../image.ts'
import type { KubeApi } from './api.ts'
import { selectorOf } from './cluster-view.ts'
import { listPages } from './list-pages.ts'
import { JOB_NAME_LABEL, type Job, type KubeObject, type Pod } from './objects.ts'

function asListed({ metadata = {} }: KubeObject, name: string): ListedContainer | null {
  const { labels, creationTimestamp = '' } = metadata
  return listed('kubernetes', { name, labels, createdAt: new Date(creationTimestamp) })
}

/**
 * All Jobs with these labels, in every namespace, and all pods whose Job someone deleted and left them: of those neither
 * the Job's deadline nor its clearing up after a day is left.
 * @throws ExecutorError, the signal's reason
 */
export async function listContainers(
  api: KubeApi,
  labels: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<ListedContainer[]> {
  const selector = selectorOf(labels)
  const jobs = (await listPages<Job>(api, '/apis/batch/v1/jobs', selector, signal)).items
  const pods = (await listPages<Pod>(api, '/api/v1/pods', selector, signal)).items
  const containers = new Map<string, ListedContainer>()
  for (const pod of pods) {
    const container = asListed(pod, pod.metadata?.labels?.[JOB_NAME_LABEL] ?? '')
    if (container !== null) containers.set(container.ref.name, container)
  }
  // Over its pod, since a Job is the older of the two.
  for (const job of jobs) {
    const container = asListed(job, job.metadata?.name ?? '')
    if (container !== null) containers.set(container.ref.name, container)
  }
  return [...containers.values()]
}
