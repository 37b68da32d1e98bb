import { hasLabels } from '../container-label.ts'
import { ExecutorError } from '../image.ts'
import { pause } from '../patience.ts'
import { inspectContainer, stopContainer } from './container-calls.ts'
import { type Engine, isStatus } from './engine.ts'

/** How often to look whether a removal that another one began is done, in milliseconds. */
const LOOK_MS = 200

/**
 * Stops a container and removes it with its unnamed volumes; the organization's `/data` stays. Resolves when it is gone.
 * @param labels without which it is someone else's, and left alone
 * @throws ExecutorError when the engine refused or is away, or the signal's reason
 */
export async function removeContainer(
  engine: Engine,
  name: string,
  labels: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    const container = await inspectContainer(engine, name, signal)
    if (container === null) return
    if (!hasLabels(container.Config.Labels, labels)) {
      throw new ExecutorError(`The container ${name} is none of this installation's; it is left alone.`, {
        refused: true,
      })
    }
    if (container.State.Running) await stopContainer(engine, name, signal)
    try {
      await engine.call(signal, (docker, abortSignal) =>
        docker.getContainer(name).remove({ force: true, v: true, abortSignal }),
      )
    } catch (error) {
      if (isStatus(error, 404)) return
      // 409: another removal of it is in progress.
      if (!isStatus(error, 409)) throw error
      await pause(LOOK_MS, signal)
    }
  }
}
