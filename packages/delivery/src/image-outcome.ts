import type { ContainerFailureClass, ContainerOutcome, ExecutorError } from './image.ts'

/** An outcome before the log is fetched. */
export type Verdict = Omit<ContainerOutcome, 'log' | 'logIsCut'>

export const SUCCEEDED: Verdict = { class: 'ok', exitCode: 0, message: null, refused: false }

export function failed(
  failureClass: ContainerFailureClass,
  message: string,
  exitCode: number | null = null,
): Verdict {
  return { class: failureClass, exitCode, message, refused: false }
}

/** The verdict on an attempt whose cluster or engine refused or could not be reached (spec section 5). */
export function executorFailed(error: ExecutorError): Verdict {
  return { class: 'executor', exitCode: null, message: error.message, refused: error.refused }
}

export const CANCELLED: Verdict = failed('cancelled', 'The container was removed on request.')

const SIGNALS: Record<number, string> = {
  1: 'SIGHUP',
  2: 'SIGINT',
  4: 'SIGILL',
  6: 'SIGABRT',
  7: 'SIGBUS',
  8: 'SIGFPE',
  9: 'SIGKILL',
  11: 'SIGSEGV',
  13: 'SIGPIPE',
  15: 'SIGTERM',
}

/**
 * How a process ended, in words: shells and engines tell a signal as 128 and its number. Engines now and then miss that
 * the kernel killed a process for its memory, so a SIGKILL that nobody explains is told with that in mind.
 * @param memoryLimit as the engine writes it, such as `512Mi`
 */
export function exited(exitCode: number, memoryLimit: string): Verdict {
  const signal = SIGNALS[exitCode - 128]
  const how = signal === undefined ? '' : `, killed by ${signal}`
  const why =
    signal === 'SIGKILL' ? `; it may have run out of memory, of which its limit is ${memoryLimit}` : ''
  return failed('container_exit', `The container exited with code ${exitCode}${how}${why}.`, exitCode)
}

/** @param limit as the engine writes it, such as `512Mi` */
export function outOfMemory(exitCode: number | null, limit: string): Verdict {
  return failed('container_exit', `The container ran out of memory; its limit is ${limit}.`, exitCode)
}

export function deadlineExceeded(timeoutSeconds: number | null, hint: string | null = null): Verdict {
  const limit = timeoutSeconds === null ? 'its deadline' : `its deadline of ${timeoutSeconds} s`
  return failed('timeout', `The container did not end within ${limit}${hint === null ? '.' : `: ${hint}`}`)
}
