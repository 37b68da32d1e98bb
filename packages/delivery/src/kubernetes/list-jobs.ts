import type { KubeApi } from './api.ts'
import { selectorOf } from './cluster-view.ts'
import { listPages } from './list-pages.ts'
import type { Job } from './objects.ts'

/**
 * All Jobs with these labels, in every namespace.
 * @throws ExecutorError, the signal's reason
 */
export async function listJobs(
  api: KubeApi,
  labels: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Job[]> {
  return (await listPages<Job>(api, '/apis/batch/v1/jobs', selectorOf(labels), signal)).items
}
