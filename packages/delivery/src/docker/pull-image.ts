import { createInterface } from 'node:readline'
import type Dockerode from 'dockerode'
import { failed, type Verdict } from '../image-outcome.ts'
import { pause } from '../patience.ts'
import { type Engine, EngineAnswer } from './engine.ts'

export interface PullOptions {
  signal: AbortSignal
  auth: Dockerode.AuthConfigObject | undefined
  /** How long a registry that is away is asked again, in milliseconds. */
  patienceMs: number
}

/** How long to wait before asking a registry a second time, in milliseconds; then twice as long each time. */
const SECOND_TRY_MS = 2000

/** For one try, in milliseconds: big images take minutes, and none of the container's own time. */
const PULL_MS = 15 * 60_000

/** The registry's no, as opposed to its absence. */
const FINAL = /manifest unknown|manifest for .* not found|does not exist|denied|unauthorized|forbidden/i

/** Reads the progress to its end. Most errors are told in there, behind a status of 200. */
async function readProgress(stream: NodeJS.ReadableStream): Promise<string | null> {
  const broken = new Promise<never>((_, reject) => stream.once('error', reject))
  const read = async () => {
    for await (const line of createInterface({ input: stream })) {
      if (line.trim() === '') continue
      const { error } = JSON.parse(line) as { error?: unknown }
      if (error !== undefined) return String(error)
    }
    return null
  }
  return await Promise.race([read(), broken])
}

/** What the registry or engine had against a pull, and whether asking again is no use. */
interface PullProblem {
  reason: string
  isFinal: boolean
}

async function pullOnce(engine: Engine, image: string, options: PullOptions): Promise<PullProblem | null> {
  const limit = AbortSignal.timeout(PULL_MS)
  try {
    const reason = await engine.call(
      AbortSignal.any([options.signal, limit]),
      async (docker, abortSignal) =>
        readProgress(await docker.createImage(options.auth, { fromImage: image, abortSignal })),
      // The limit comes first, so that a slow registry is not taken for an absent engine.
      PULL_MS + 1000,
    )
    return reason === null ? null : { reason, isFinal: FINAL.test(reason) }
  } catch (error) {
    options.signal.throwIfAborted()
    if (limit.aborted) return { reason: `it took more than ${PULL_MS / 60_000} minutes`, isFinal: true }
    if (!(error instanceof EngineAnswer)) throw error
    // A status here is the registry's no (401, 403, 404) or its absence (500); without one the engine itself is away.
    const { reason, status } = error
    return { reason, isFinal: FINAL.test(reason) || [401, 403, 404].includes(status) }
  }
}

/**
 * Fetches an image that the engine does not have. A registry that could not be reached is asked again for a while.
 * @returns null when the engine has the image, else why not
 * @throws ExecutorError when the engine is away, or the signal's reason
 */
export async function pullImage(
  engine: Engine,
  image: string,
  options: PullOptions,
): Promise<Verdict | null> {
  const present = () => engine.find(options.signal, docker => docker.getImage(image).inspect())
  if ((await present()) !== null) return null
  let giveUpAt: number | null = null
  for (let waitMs = SECOND_TRY_MS; ; waitMs *= 2) {
    const problem = await pullOnce(engine, image, options)
    if (problem === null && (await present()) !== null) return null
    giveUpAt ??= performance.now() + options.patienceMs
    const leftMs = giveUpAt - performance.now()
    if (problem === null || problem.isFinal || leftMs <= 0) {
      const reason = problem?.reason ?? 'the engine ended the pull without it'
      return failed('image_pull', `The image ${image} could not be pulled: ${reason}`)
    }
    await pause(Math.min(waitMs, leftMs), options.signal)
  }
}
