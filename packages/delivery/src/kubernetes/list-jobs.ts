import { ExecutorError } from '../image.ts'
import type { KubeApi } from './api.ts'
import { isApiStatus } from './api-answer.ts'
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
  try {
    return (await listPages<Job>(api, '/apis/batch/v1/jobs', selectorOf(labels), signal)).items
  } catch (error) {
    if (!isApiStatus(error, 410)) throw error
    throw new ExecutorError('The list of Jobs changed while it was read.', { refused: false, cause: error })
  }
}
