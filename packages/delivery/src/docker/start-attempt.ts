import type Dockerode from 'dockerode'
import { hasLabels, labelsOf, managedBy, ORGANIZATION } from '../container-label.ts'
import { type ContainerRef, ExecutorError, type ImageSpec, type StartResult } from '../image.ts'
import { failed, type Verdict } from '../image-outcome.ts'
import { imageReference } from '../image-reference.ts'
import { notStarted } from '../start-result.ts'
import { ConfigMissing, readConfig } from './config-files.ts'
import { type ContainerSettings, createOptions } from './create-options.ts'
import { type Engine, EngineAnswer, isStatus } from './engine.ts'
import { awaitsStart, judge } from './judge.ts'
import { openDirectory } from './open-directory.ts'
import { pullImage } from './pull-image.ts'
import { inspectContainer, startContainer } from './watch-container.ts'

export interface StartSettings extends ContainerSettings {
  /** Put before every image's name. */
  registry: string
  registryAuth: Dockerode.AuthConfigObject | undefined
  configDir: string | null
}

interface Start {
  engine: Engine
  settings: StartSettings
  spec: ImageSpec
  ref: ContainerRef
  signal: AbortSignal
}

/** @returns what the owner of the job has to mend, or null when the container is made (by us or by another worker) */
async function make({ engine, settings, spec, ref, signal }: Start): Promise<Verdict | null> {
  const image = imageReference(settings.registry, spec)
  try {
    const variables = await readConfig(settings.configDir, spec.organizationId, spec.envFrom)
    const pull = { signal, timeoutMs: spec.timeoutSeconds * 1000, auth: settings.registryAuth }
    const problem = await pullImage(engine, image, pull)
    if (problem !== null) return problem
    await engine.call(signal, (docker, abortSignal) =>
      docker.createVolume({
        Name: ref.namespace,
        Labels: { ...managedBy(settings.installation), [ORGANIZATION]: spec.organizationId },
        abortSignal,
      }),
    )
    const options = createOptions(spec, ref, image, variables, settings)
    await engine.call(signal, (docker, abortSignal) => docker.createContainer({ ...options, abortSignal }))
    return null
  } catch (error) {
    if (error instanceof ConfigMissing) return failed('container_config', error.message)
    if (isStatus(error, 409)) return null
    if (error instanceof EngineAnswer && error.status === 400) {
      return failed('container_config', `The container could not be made: ${error.reason}`)
    }
    // The image was removed between the look and the making.
    if (error instanceof EngineAnswer && error.status === 404) {
      throw new ExecutorError(error.message, { refused: false, cause: error })
    }
    throw error
  }
}

async function setGoing({ engine, ref, signal }: Start): Promise<void> {
  await engine.call(signal, (docker, abortSignal) =>
    docker.getContainer(ref.name).putArchive(openDirectory('data'), { path: '/', abortSignal }),
  )
  await startContainer(engine, ref.name, signal)
}

/**
 * Makes and starts the container of an attempt, or finds it. A container that has run is never started again.
 * @throws ExecutorError when the engine refused or is away, or the signal's reason
 */
export async function startAttempt(start: Start): Promise<StartResult> {
  const { engine, settings, spec, ref, signal } = start
  const found = await inspectContainer(engine, ref.name, signal)
  if (found === null) {
    const problem = await make(start)
    if (problem !== null) return notStarted(ref, problem)
  }
  const container = found ?? (await inspectContainer(engine, ref.name, signal))
  if (container === null) {
    throw new ExecutorError(`The container ${ref.name} is gone as soon as it was made.`, { refused: false })
  }
  if (!hasLabels(container.Config.Labels, labelsOf(spec, settings.installation))) {
    throw new ExecutorError(
      `There is a container named ${ref.name} that Workly did not make for this attempt.`,
      {
        refused: true,
      },
    )
  }
  if (awaitsStart(container)) {
    await setGoing(start)
    const started = await inspectContainer(engine, ref.name, signal)
    const verdict = started === null || started.State.Status !== 'created' ? null : judge(started)
    if (verdict !== null) return notStarted(ref, verdict)
  }
  return { started: true, ref, adopted: found !== null }
}
