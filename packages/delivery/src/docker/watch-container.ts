import type { ContainerInspectInfo } from 'dockerode'
import { STOP_GRACE_SECONDS } from '../container-limits.ts'
import type { ContainerRef } from '../image.ts'
import { failed, type Verdict } from '../image-outcome.ts'
import { patiently, pause } from '../patience.ts'
import { type Engine, isStatus } from './engine.ts'
import { awaitsStart, deadlineOf, judge } from './judge.ts'

/** How often to look when the engine says nothing, in milliseconds: its long poll never settles if it dies meanwhile. */
const LOOK_MS = 5000

const GONE = failed('evicted', 'The container was removed by someone else.')

export interface Watching {
  engine: Engine
  patienceMs: number
}

/**
 * The engine's clock less this machine's, in milliseconds: a deadline counts from a start that the engine wrote down.
 */
async function clockOffset(engine: Engine, signal: AbortSignal): Promise<number> {
  const info = (await engine.call(signal, docker => docker.info())) as { SystemTime?: string }
  const engineMs = Date.parse(info.SystemTime ?? '')
  return Number.isNaN(engineMs) ? 0 : engineMs - Date.now()
}

async function untilStopped(engine: Engine, name: string, ms: number, signal: AbortSignal): Promise<void> {
  const end = new AbortController()
  const both = AbortSignal.any([signal, end.signal])
  try {
    await Promise.race([
      pause(ms, both),
      engine.call(
        both,
        (docker, abortSignal) => docker.getContainer(name).wait({ condition: 'not-running', abortSignal }),
        ms + 1000,
      ),
    ])
  } catch (error) {
    // Removed meanwhile, which the next look tells.
    if (!isStatus(error, 404)) throw error
  } finally {
    end.abort()
  }
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

export function inspectContainer(
  engine: Engine,
  name: string,
  signal: AbortSignal,
): Promise<ContainerInspectInfo | null> {
  return engine.find(signal, (docker, abortSignal) => docker.getContainer(name).inspect({ abortSignal }))
}

/** One look: the verdict, or null after something may have changed. */
async function look({ engine }: Watching, name: string, signal: AbortSignal): Promise<Verdict | null> {
  const container = await inspectContainer(engine, name, signal)
  if (container === null) return GONE
  const verdict = judge(container)
  if (verdict !== null) return verdict
  if (awaitsStart(container)) {
    await startContainer(engine, name, signal)
    return null
  }
  const deadline = deadlineOf(container)
  const leftMs = deadline === null ? LOOK_MS : deadline - Date.now() - (await clockOffset(engine, signal))
  if (leftMs <= 0) await stopContainer(engine, name, signal)
  else await untilStopped(engine, name, Math.min(leftMs, LOOK_MS), signal)
  return null
}

/**
 * Watches a container to its end, and ends it at its deadline, which counts from its start however often the watcher
 * was another one.
 * @throws ExecutorError when the engine refused or was away for too long, or the signal's reason
 */
export async function watchContainer(
  watching: Watching,
  ref: ContainerRef,
  signal: AbortSignal,
): Promise<Verdict> {
  for (;;) {
    const verdict = await patiently(watching.patienceMs, signal, () => look(watching, ref.name, signal))
    if (verdict !== null) return verdict
  }
}
