import type { ContainerRef } from '../image.ts'
import { failed, type Verdict } from '../image-outcome.ts'
import { patiently, pause } from '../patience.ts'
import { inspectContainer, openData, startContainer, stopContainer } from './container-calls.ts'
import { type Engine, EngineAnswer } from './engine.ts'
import { awaitsStart, deadlineOf, judge } from './judge.ts'

/** How often to look when the engine says nothing, in milliseconds: its long poll never settles if it dies meanwhile. */
const LOOK_MS = 5000

/** How often to look when the engine does not say when a container stops, in milliseconds. */
const LOOK_UNTOLD_MS = 1000

/** How often to look at a container that is about to be started, in milliseconds. */
const LOOK_AT_NEW_MS = 300

const GONE = failed('evicted', 'The container was removed by someone else.')

export interface Watching {
  engine: Engine
  patienceMs: number
  /** How long after its making a container that was not started is started by its watcher, in milliseconds. */
  adoptAfterMs: number
}

/** What one watch has learned. */
interface Learned {
  /** The engine's clock less this machine's, in milliseconds. */
  clockOffsetMs: number | null
}

/**
 * The engine's clock less this machine's, in milliseconds: a deadline counts from a start that the engine wrote down.
 * @returns 0 where a proxy keeps its clock from us, null where it can't be told just now
 */
async function clockOffset(engine: Engine, signal: AbortSignal): Promise<number | null> {
  try {
    const info = (await engine.call(signal, docker => docker.info())) as { SystemTime?: string }
    const engineMs = Date.parse(info.SystemTime ?? '')
    return Number.isNaN(engineMs) ? null : engineMs - Date.now()
  } catch (error) {
    if (error instanceof EngineAnswer) return error.refused ? 0 : null
    throw error
  }
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
    if (!(error instanceof EngineAnswer)) throw error
    // Removed meanwhile (404), which the next look tells, as it does where the engine won't tell of itself.
    if (error.status !== 404) await pause(Math.min(ms, LOOK_UNTOLD_MS), signal)
  } finally {
    end.abort()
  }
}

/** One look: the verdict, or null after something may have changed. */
async function look(
  { engine, adoptAfterMs }: Watching,
  learned: Learned,
  name: string,
  signal: AbortSignal,
): Promise<Verdict | null> {
  const container = await inspectContainer(engine, name, signal)
  if (container === null) return GONE
  const verdict = judge(container)
  if (verdict !== null) return verdict
  learned.clockOffsetMs ??= await clockOffset(engine, signal)
  const nowMs = Date.now() + (learned.clockOffsetMs ?? 0)
  if (awaitsStart(container)) {
    // Its maker is about to start it, unless that worker died.
    if (nowMs - Date.parse(container.Created) < adoptAfterMs) await pause(LOOK_AT_NEW_MS, signal)
    else {
      await openData(engine, name, signal)
      await startContainer(engine, name, signal)
    }
    return null
  }
  const deadline = deadlineOf(container) ?? Number.POSITIVE_INFINITY
  const leftMs = deadline - nowMs
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
  const learned: Learned = { clockOffsetMs: null }
  for (;;) {
    const verdict = await patiently(watching.patienceMs, signal, () =>
      look(watching, learned, ref.name, signal),
    )
    if (verdict !== null) return verdict
  }
}
