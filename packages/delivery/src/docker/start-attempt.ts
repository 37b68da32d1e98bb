import type Dockerode from 'dockerode'
import { hasLabels, labelsOf, managedBy, ORGANIZATION } from '../container-label.ts'
import { type ContainerRef, ExecutorError, type ImageSpec, type StartResult } from '../image.ts'
import { failed, type Verdict } from '../image-outcome.ts'
import { imageReference } from '../image-reference.ts'
import { outlast } from '../outlast.ts'
import { notStarted } from '../start-result.ts'
import { ConfigMissing, readConfig } from './config-files.ts'
import { inspectContainer, openData, startContainer } from './container-calls.ts'
import { type ContainerSettings, createOptions } from './create-options.ts'
import { type Engine, EngineAnswer, isStatus, sound } from './engine.ts'
import { judge } from './judge.ts'
import { pullImage } from './pull-image.ts'

export interface StartSettings extends ContainerSettings {
  /** Put before every image's name. */
  registry: string
  registryAuth: Dockerode.AuthConfigObject | undefined
  configDir: string | null
  /** How long a registry that is away is asked again, in milliseconds. */
  pullPatienceMs: number
  adoptAfterMs: number
}

export interface Start {
  engine: Engine
  settings: StartSettings
  spec: ImageSpec
  ref: ContainerRef
  signal: AbortSignal
}

/** @returns what the owner of the job has to mend; or whether the container was made by us or by another worker */
async function make({ engine, settings, spec, ref, signal }: Start): Promise<Verdict | 'made' | 'found'> {
  const image = imageReference(settings.registry, spec)
  const variables = await variablesOf(settings.configDir, spec)
  if ('class' in variables) return variables
  const pull = { signal, auth: settings.registryAuth, patienceMs: settings.pullPatienceMs }
  const problem = await pullImage(engine, image, pull)
  if (problem !== null) return problem
  await engine.call(signal, (docker, abortSignal) =>
    docker.createVolume({
      Name: ref.namespace,
      Labels: { ...managedBy(settings.installation), [ORGANIZATION]: spec.organizationId },
      abortSignal,
    }),
  )
  const options = createOptions(spec, ref, image, variables.values, settings)
  try {
    const made = await outlast(signal, lasting =>
      engine.call(lasting, (docker, abortSignal) => docker.createContainer({ ...options, abortSignal })),
    )
    sound(made, typeof made.id === 'string')
    return 'made'
  } catch (error) {
    if (isStatus(error, 409)) return 'found'
    if (error instanceof EngineAnswer && error.status === 400) {
      return failed('container_config', `The container could not be made: ${error.reason}`)
    }
    throw error
  }
}

async function variablesOf(
  configDir: string | null,
  spec: ImageSpec,
): Promise<{ values: Record<string, string> } | Verdict> {
  try {
    return { values: await readConfig(configDir, spec.organizationId, spec.envFrom) }
  } catch (error) {
    if (error instanceof ConfigMissing) return failed('container_config', error.message)
    throw error
  }
}

/**
 * Makes and starts the container of an attempt, or finds it. Docker would start one that has ended a second time, so only
 * the worker that made it starts it, and at once: one that was held up in between leaves that to whoever watches.
 * @throws ExecutorError when the engine refused or is away, or the signal's reason
 */
export async function startAttempt(start: Start): Promise<StartResult> {
  const { engine, settings, spec, ref, signal } = start
  const known = await inspectContainer(engine, ref.name, signal)
  const made = known === null ? await make(start) : 'found'
  if (typeof made !== 'string') return notStarted(ref, made)
  if (made === 'made') return await setGoing(start, performance.now() + settings.adoptAfterMs / 2)
  const container = known ?? (await inspectContainer(engine, ref.name, signal))
  if (container === null) {
    throw new ExecutorError(`The container ${ref.name} is gone as soon as it was found.`, { refused: false })
  }
  if (!hasLabels(container.Config.Labels, labelsOf(spec, settings.installation))) {
    throw new ExecutorError(
      `There is a container named ${ref.name} that Workly did not make for this attempt.`,
      {
        refused: true,
      },
    )
  }
  return { started: true, ref, adopted: true }
}

async function setGoing({ engine, ref, signal }: Start, untilMs: number): Promise<StartResult> {
  await openData(engine, ref.name, signal)
  if (performance.now() < untilMs) await startContainer(engine, ref.name, signal)
  const container = await inspectContainer(engine, ref.name, signal)
  const verdict = container?.State.Status === 'created' ? judge(container) : null
  return verdict === null ? { started: true, ref, adopted: false } : notStarted(ref, verdict)
}
