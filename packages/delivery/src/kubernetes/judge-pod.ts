import { exited, failed, outOfMemory, SUCCEEDED, type Verdict } from '../image-outcome.ts'
import { type ContainerState, conditionOf, MAIN_CONTAINER, type Pod } from './objects.ts'

/** What a pod tells of its main container. */
export type PodFinding =
  | { verdict: Verdict }
  /** Something is wrong that may mend itself: a verdict only if it stays so for a while. */
  | { complaint: Verdict; about: string }
  | { hint: string | null }

function stateOf(pod: Pod): ContainerState | undefined {
  return pod.status?.containerStatuses?.find(({ name }) => name === MAIN_CONTAINER)?.state
}

function memoryLimit(pod: Pod): string {
  const main = pod.spec?.containers?.find(({ name }) => name === MAIN_CONTAINER)
  return main?.resources?.limits?.memory ?? 'unknown'
}

/** The cluster took the pod away: a node under pressure, drained or gone, or a pod that no node would have. */
function evictionOf(pod: Pod): string | null {
  const { reason, message, phase, conditions } = pod.status ?? {}
  const disruption = conditionOf(conditions, 'DisruptionTarget')
  if (disruption !== undefined) {
    return `The pod was evicted: ${disruption.message ?? disruption.reason ?? 'a disruption'}`
  }
  if (phase !== 'Failed' || reason === undefined) return null
  return `The pod was ended by its node (${reason}): ${message ?? 'no reason given'}`
}

/**
 * Whether the container had ended before someone asked for the pod's deletion; else the end may be the deletion's doing.
 * Times are in whole seconds, so one in the same second is not before.
 */
function endedByItself(pod: Pod, finishedAt: string | undefined): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = pod.metadata ?? {}
  if (deletionTimestamp === undefined) return true
  const askedMs = Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1000
  return finishedAt !== undefined && Date.parse(finishedAt) < askedMs
}

function judgeEnd(pod: Pod, end: NonNullable<ContainerState['terminated']>): Verdict | null {
  const { exitCode, reason, message } = end
  if (!endedByItself(pod, end.finishedAt)) return null
  if (exitCode === 0) return SUCCEEDED
  const eviction = evictionOf(pod)
  if (eviction !== null) return failed('evicted', eviction, exitCode)
  switch (reason) {
    case 'OOMKilled':
      return outOfMemory(exitCode, memoryLimit(pod))
    case 'StartError':
    case 'ContainerCannotRun':
      return failed('container_config', `The container could not be started: ${message ?? reason}`, exitCode)
    case 'ContainerStatusUnknown':
      return failed('evicted', `The node lost the container: ${message ?? reason}`)
    default:
      return exited(exitCode, memoryLimit(pod))
  }
}

/** What a kubelet says of an image that it will never get. */
const PULL_FINAL = new Set(['ImagePullBackOff', 'ErrImageNeverPull', 'SignatureValidationFailed'])
const PULL_MAYBE = new Set(['ErrImagePull', 'ImageInspectError', 'RegistryUnavailable'])
const CONFIG_MAYBE = new Set(['CreateContainerError', 'RunContainerError', 'PreCreateHookError'])
/** As opposed to a cache of the kubelet's that was not filled in time. */
const CONFIG_FINAL = /not found|couldn't find|no such|non-root|invalid/i

function judgeWaiting(reason: string, message: string): PodFinding {
  const told = message === '' ? reason : message
  const pull = failed('image_pull', `The image could not be pulled: ${told}`)
  const config = failed('container_config', `The container could not be made: ${told}`)
  if (PULL_FINAL.has(reason)) return { verdict: pull }
  if (PULL_MAYBE.has(reason)) return { complaint: pull, about: 'image' }
  if (reason === 'InvalidImageName') return { verdict: config }
  if (reason === 'CreateContainerConfigError') {
    return CONFIG_FINAL.test(message) ? { verdict: config } : { complaint: config, about: reason }
  }
  if (CONFIG_MAYBE.has(reason)) return { complaint: config, about: reason }
  return { hint: `it was waiting (${told})` }
}

/** Judges a pod by its main container, so that a sidecar can neither keep a run open nor fail it. */
export function judgePod(pod: Pod): PodFinding {
  const state = stateOf(pod)
  if (state?.terminated !== undefined) {
    const verdict = judgeEnd(pod, state.terminated)
    return verdict === null ? { hint: null } : { verdict }
  }
  const eviction = evictionOf(pod)
  if (eviction !== null) return { verdict: failed('evicted', eviction) }
  if (state?.waiting?.reason !== undefined && pod.metadata?.deletionTimestamp === undefined) {
    return judgeWaiting(state.waiting.reason, state.waiting.message ?? '')
  }
  if (pod.status?.phase === 'Failed') {
    return { verdict: failed('evicted', 'The pod failed before its container had run.') }
  }
  const unscheduled = pod.status?.conditions?.find(
    ({ type, status }) => type === 'PodScheduled' && status === 'False',
  )
  return { hint: unscheduled === undefined ? null : `no node took it (${unscheduled.message})` }
}
