import type { ContainerRef } from '../image.ts'
import { type ContainerLog, LogTail } from '../log-tail.ts'
import type { KubeApi } from './api.ts'
import { isApiStatus } from './api-answer.ts'
import { selectorOf } from './cluster-view.ts'
import { JOB_NAME_LABEL, type KubeList, MAIN_CONTAINER, type Pod } from './objects.ts'

export async function listPods(api: KubeApi, ref: ContainerRef, signal: AbortSignal): Promise<Pod[]> {
  const { items = [] } = await api.request<KubeList<Pod>>(
    {
      method: 'GET',
      path: `/api/v1/namespaces/${ref.namespace}/pods`,
      query: { labelSelector: selectorOf({ [JOB_NAME_LABEL]: ref.name }) },
    },
    signal,
  )
  return items
}

/**
 * The end of a pod's log. The API can count lines from the end, but bytes only from the front: so one line more than
 * bytes is asked for (each has at least one), and the front of those is let go while reading.
 * @returns null when the pod is gone or its container never ran
 * @throws ExecutorError, the signal's reason
 */
export async function readPodLog(
  api: KubeApi,
  pod: Pod,
  keepBytes: number,
  signal: AbortSignal,
): Promise<ContainerLog | null> {
  const tail = new LogTail(keepBytes)
  const { namespace, name } = pod.metadata ?? {}
  try {
    await api.read(
      {
        method: 'GET',
        path: `/api/v1/namespaces/${namespace}/pods/${name}/log`,
        query: { container: MAIN_CONTAINER, tailLines: keepBytes + 1 },
      },
      signal,
      bytes => tail.push(bytes),
    )
  } catch (error) {
    // 400: the container is waiting to start.
    if (isApiStatus(error, 404) || isApiStatus(error, 400)) return null
    throw error
  }
  return tail.log()
}

/** The log of the newest pod of a Job, of which there is one but in odd cases. */
export async function readJobLog(
  api: KubeApi,
  ref: ContainerRef,
  keepBytes: number,
  signal: AbortSignal,
): Promise<ContainerLog | null> {
  const pods = await listPods(api, ref, signal)
  const [newest] = pods.toSorted((a, b) =>
    (b.metadata?.creationTimestamp ?? '').localeCompare(a.metadata?.creationTimestamp ?? ''),
  )
  return newest === undefined ? null : readPodLog(api, newest, keepBytes, signal)
}
