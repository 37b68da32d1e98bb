import { type ContainerRef, ExecutorError, type ImageSpec, type ListedContainer } from './image.ts'

/** Marks everything that Workly made in a cluster or engine. */
export const MANAGED_BY = 'app.kubernetes.io/managed-by'
export const INSTALLATION = 'workly/installation'
export const ORGANIZATION = 'workly/organization'
export const RUN = 'workly/run'
export const ATTEMPT = 'workly/attempt'
/** An annotation under Kubernetes, since a step's id may be one character longer than a label's value. */
export const STEP = 'workly/step'
/** The deadline, so that any worker can keep it. */
export const TIMEOUT = 'workly/timeout-seconds'

const ID = /^[a-z]{1,8}_[0-9a-z]{1,40}$/
const INSTALLATION_NAME = /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/

/**
 * Checks the name that tells apart the installations which share a cluster or engine, so that none sweeps another's.
 * @throws Error that says what is allowed
 */
export function checkInstallation(installation: string): string {
  if (INSTALLATION_NAME.test(installation)) return installation
  throw new Error(
    `"${installation}" is no name of an installation: 1 to 40 lower-case letters, digits and "-", not at the ends.`,
  )
}

function dnsPart(id: string): string {
  if (ID.test(id)) return id.replace('_', '-')
  throw new Error(`"${id}" is no id of Workly's.`)
}

/** Where the container of an attempt is: names that fit both a DNS label (RFC 1123) and Docker. */
export function refOf(
  executor: ContainerRef['executor'],
  attempt: Pick<ImageSpec, 'organizationId' | 'attemptId'>,
): ContainerRef {
  return {
    executor,
    namespace: namespaceOf(attempt.organizationId),
    name: `workly-${dnsPart(attempt.attemptId)}`,
  }
}

/** The namespace of an organization, also the name of its volume under Docker. */
export function namespaceOf(organizationId: string): string {
  return `workly-${dnsPart(organizationId)}`
}

export function managedBy(installation: string): Record<string, string> {
  return { [MANAGED_BY]: 'workly', [INSTALLATION]: installation }
}

/** Whose namespace it is, by its name. */
export function organizationOf(namespace: string): string {
  return namespace.replace(/^workly-/, '').replace('-', '_')
}

/** The labels of an attempt's container. Adopting asks for all of them. */
export function labelsOf(spec: ImageSpec, installation: string): Record<string, string> {
  return {
    ...managedBy(installation),
    [ORGANIZATION]: spec.organizationId,
    [RUN]: spec.runId,
    [ATTEMPT]: spec.attemptId,
  }
}

/** Whether something found under our name is ours. */
export function hasLabels(
  found: Readonly<Record<string, string>> | undefined,
  wanted: Readonly<Record<string, string>>,
): boolean {
  return Object.entries(wanted).every(([key, value]) => found?.[key] === value)
}

/** Null for something that lacks a label or bears another name than its labels say: it is not to be swept. */
export function listed(
  executor: ContainerRef['executor'],
  found: { name: string; labels: Readonly<Record<string, string>> | undefined; createdAt: Date },
): ListedContainer | null {
  const organizationId = found.labels?.[ORGANIZATION] ?? ''
  const runId = found.labels?.[RUN] ?? ''
  const attemptId = found.labels?.[ATTEMPT] ?? ''
  if (![organizationId, runId, attemptId].every(id => ID.test(id))) return null
  const ref = refOf(executor, { organizationId, attemptId })
  return ref.name === found.name
    ? { ref, organizationId, runId, attemptId, createdAt: found.createdAt }
    : null
}

/** @throws ExecutorError when the container is another executor's, as after a change of the setting */
export function checkExecutor(ref: ContainerRef, executor: ContainerRef['executor'] | 'none'): void {
  if (ref.executor === executor) return
  throw new ExecutorError(
    `The container was started with the executor "${ref.executor}", but WORKLY_IMAGE_EXECUTOR is "${executor}".`,
    { refused: true },
  )
}
