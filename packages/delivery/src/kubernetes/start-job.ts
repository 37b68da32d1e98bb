import { hasLabels, labelsOf } from '../container-label.ts'
import { type ContainerRef, ExecutorError, type ImageSpec, type StartResult } from '../image.ts'
import { imageReference } from '../image-reference.ts'
import { outlast } from '../outlast.ts'
import type { KubeApi } from './api.ts'
import { isApiStatus } from './api-answer.ts'
import { type JobSettings, jobManifest } from './job-manifest.ts'
import type { Job } from './objects.ts'
import type { OrganizationNamespaces } from './organization-namespace.ts'

export interface JobStart {
  api: KubeApi
  namespaces: OrganizationNamespaces
  settings: JobSettings & { registry: string }
  spec: ImageSpec
  ref: ContainerRef
  signal: AbortSignal
}

/** The name is taken: by this very attempt, which is adopted, or by something else, which is refused. */
async function adopt({ api, settings, spec, ref, signal }: JobStart, path: string): Promise<StartResult> {
  const job = await api.find<Job>({ method: 'GET', path: `${path}/${ref.name}` }, signal)
  if (job === null) {
    throw new ExecutorError(`The Job ${ref.name} is gone as soon as it was found.`, { refused: false })
  }
  if (!hasLabels(job.metadata?.labels, labelsOf(spec, settings.installation))) {
    throw new ExecutorError(`There is a Job named ${ref.name} that Workly did not make for this attempt.`, {
      refused: true,
    })
  }
  return { started: true, ref, adopted: true }
}

/**
 * Makes the Job of an attempt, or finds it: the name follows from the attempt, so the server itself refuses a second one.
 * @throws ExecutorError when refused or away, the signal's reason
 */
export async function startJob(start: JobStart): Promise<StartResult> {
  const { api, namespaces, settings, spec, ref, signal } = start
  const path = `/apis/batch/v1/namespaces/${ref.namespace}/jobs`
  const body = jobManifest(spec, ref, imageReference(settings.registry, spec), settings)
  await namespaces.prepare(spec, signal)
  try {
    await outlast(signal, lasting => api.request({ method: 'POST', path, body }, lasting))
    return { started: true, ref, adopted: false }
  } catch (error) {
    if (isApiStatus(error, 409)) return await adopt(start, path)
    // The namespace went meanwhile, or is going: the next try makes it anew.
    if (isApiStatus(error, 404) || isApiStatus(error, 403)) namespaces.forget(ref.namespace)
    throw error
  }
}
