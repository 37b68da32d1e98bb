import type { ContainerInspectInfo } from 'dockerode'
import { TIMEOUT } from '../container-label.ts'
import { inWords } from '../container-limits.ts'
import { deadlineExceeded, exited, failed, outOfMemory, SUCCEEDED, type Verdict } from '../image-outcome.ts'

/** Docker writes the year 1 for what has not happened. */
function instant(text: string): number | null {
  const ms = Date.parse(text)
  return Number.isNaN(ms) || ms <= 0 ? null : ms
}

/** What runc and the kernel say of a command that is not there or is no program. */
const NO_SUCH_COMMAND =
  /executable file not found|no such file or directory|permission denied|exec format error|is a directory|not a directory/i

function notStarted(reason: string, exitCode: number): Verdict {
  // The engine wraps it: "failed to create shim task: OCI runtime create failed: …: exec: "x": …: unknown".
  const core = /exec: .*$/s.exec(reason)?.[0] ?? reason
  const message = `The container could not be started: ${core.replace(/: unknown$/, '')}`
  return failed(NO_SUCH_COMMAND.test(core) ? 'container_config' : 'executor', message, exitCode)
}

/** The deadline, in milliseconds on the engine's clock; null before the container has started. */
export function deadlineOf(container: ContainerInspectInfo): number | null {
  const startedMs = instant(container.State.StartedAt)
  const seconds = Number(container.Config.Labels[TIMEOUT])
  return startedMs === null ? null : startedMs + seconds * 1000
}

/** Whether the container was made and its start neither succeeded nor failed yet. */
export function awaitsStart(container: ContainerInspectInfo): boolean {
  return container.State.Status === 'created' && container.State.Error === ''
}

/**
 * What became of a container, from Docker's own record of it; so it comes out the same for a watcher that was not there.
 * @returns null while it is going
 */
export function judge(container: ContainerInspectInfo): Verdict | null {
  const { State: state } = container
  if (state.Status === 'removing') return failed('evicted', 'The container was removed by someone else.')
  if (state.Status === 'created') {
    return state.Error === '' ? null : notStarted(state.Error, state.ExitCode)
  }
  if (state.Running || state.Paused || state.Restarting) return null
  const startedMs = instant(state.StartedAt)
  if (startedMs === null) return notStarted(state.Error, state.ExitCode)
  const deadline = deadlineOf(container)
  const finishedMs = instant(state.FinishedAt)
  // Whatever code it ends with: at its deadline it is asked to end, and may do so in good order.
  if (deadline !== null && finishedMs !== null && finishedMs >= deadline) {
    return { ...deadlineExceeded(Number(container.Config.Labels[TIMEOUT])), exitCode: state.ExitCode }
  }
  if (state.ExitCode === 0) return SUCCEEDED
  // The mark is there too when a child was killed and the program went on: only with a failure does it explain one.
  const limit = inWords(container.HostConfig.Memory ?? 0)
  return state.OOMKilled ? outOfMemory(state.ExitCode, limit) : exited(state.ExitCode, limit)
}
