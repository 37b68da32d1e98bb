import { checkImageName } from '@workly/core'
import { type ContainerRef, ExecutorError, type ImageSpec, type StartResult } from './image.ts'
import { executorFailed, failed, type Verdict } from './image-outcome.ts'

export function notStarted(ref: ContainerRef, verdict: Verdict): StartResult {
  return { started: false, ref, outcome: { ...verdict, log: null, logIsCut: false } }
}

/** A start that has to be refused before anyone is asked: a name that is none, or leads to another registry. */
export function refusedImage(spec: ImageSpec): Verdict | null {
  const problem = checkImageName(spec.name, spec.tag)
  return problem === null ? null : failed('container_config', problem.message)
}

/**
 * @param attempt may throw ExecutorError
 * @throws the signal's reason
 */
export async function startOrVerdict(
  ref: ContainerRef,
  signal: AbortSignal,
  attempt: () => Promise<StartResult>,
): Promise<StartResult> {
  try {
    return await attempt()
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof ExecutorError) return notStarted(ref, executorFailed(error))
    throw error
  }
}
