import type { ContainerInspectInfo } from 'dockerode'
import { STOP_GRACE_SECONDS } from '../container-limits.ts'
import { type Engine, isStatus, sound } from './engine.ts'
import { awaitsStart } from './judge.ts'
import { openDirectory } from './open-directory.ts'

/** Opens `/data` to every user, before the container runs. */
export async function openData(engine: Engine, name: string, signal: AbortSignal): Promise<void> {
  await engine.call(signal, (docker, abortSignal) =>
    docker.getContainer(name).putArchive(openDirectory('data'), { path: '/', abortSignal }),
  )
}

/** Asks the container to stop, and kills it after the grace. 304: it had stopped. */
export async function stopContainer(engine: Engine, name: string, signal: AbortSignal): Promise<void> {
  try {
    await engine.call(
      signal,
      (docker, abortSignal) => docker.getContainer(name).stop({ t: STOP_GRACE_SECONDS, abortSignal }),
      (STOP_GRACE_SECONDS + 30) * 1000,
    )
  } catch (error) {
    if (!isStatus(error, 304) && !isStatus(error, 404)) throw error
  }
}

/** Starts a container that was made and not started. Where that fails, the engine's record of it says why. */
export async function startContainer(engine: Engine, name: string, signal: AbortSignal): Promise<void> {
  try {
    await engine.call(signal, (docker, abortSignal) => docker.getContainer(name).start({ abortSignal }))
  } catch (error) {
    if (isStatus(error, 304)) return
    const container = await inspectContainer(engine, name, signal)
    if (container === null || awaitsStart(container)) throw error
  }
}

/** @returns null where there is none */
export async function inspectContainer(
  engine: Engine,
  name: string,
  signal: AbortSignal,
): Promise<ContainerInspectInfo | null> {
  const found = await engine.find(signal, (docker, abortSignal) =>
    docker.getContainer(name).inspect({ abortSignal }),
  )
  return found && sound(found, typeof found.State === 'object' && typeof found.Config?.Labels === 'object')
}
