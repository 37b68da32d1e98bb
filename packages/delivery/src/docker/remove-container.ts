import { hasLabels } from '../container-label.ts'
import { ExecutorError } from '../image.ts'
import { inspectContainer, stopContainer } from './container-calls.ts'
import { type Engine, EngineAnswer, isStatus } from './engine.ts'

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
    try {
      if (container.State.Running) await stopContainer(engine, name, signal)
    } catch (error) {
      // One that cannot be asked to stop is killed by its removal.
      if (!(error instanceof EngineAnswer)) throw error
    }
    try {
      await engine.call(signal, (docker, abortSignal) =>
        docker.getContainer(name).remove({ force: true, v: true, abortSignal }),
      )
    } catch (error) {
      // 409 is another removal in progress, whose end is waited for as for anything that is in the way.
      if (!isStatus(error, 404)) throw error
    }
  }
}
