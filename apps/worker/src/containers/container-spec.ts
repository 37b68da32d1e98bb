import type { ContainerOutcome, EnvironmentSource, ImageSpec } from '@workly/delivery'
import {
  callbackToken,
  callbackUrl,
  isStoredSecret,
  type SecretValues,
  type Services,
  type WatchedContainer,
} from '@workly/services'

/** What a container is started from, and what may not show in anything kept of it. */
export interface ContainerOrder {
  spec: ImageSpec
  secrets: string[]
}

/** Where the keys of containers are. */
export interface OrderParts {
  services: Services
  secretValues: SecretValues
  /** `WORKLY_PUBLIC_URL`; no slash at its end. */
  publicUrl: string
}

/** A container that cannot be asked for: its attempt fails with that. */
function impossible(failure: 'container_config' | 'executor', message: string): ContainerOutcome {
  return { class: failure, exitCode: null, message, log: null, logIsCut: false, refused: true }
}

/**
 * Reads what a container needs beside what its attempt says: secret values and the token of its callback.
 * @returns the outcome of an attempt that cannot be started with them
 * @throws what the database throws
 */
export async function orderContainer(
  { services, secretValues, publicUrl }: OrderParts,
  container: WatchedContainer & { request: NonNullable<WatchedContainer['request']> },
): Promise<ContainerOrder | ContainerOutcome> {
  const { request, attempt_id: attemptId } = container
  const values = await secretValues.of([request])
  const env: Record<string, string> = {}
  const secrets: string[] = []
  for (const [name, value] of Object.entries(request.env)) {
    const plain = isStoredSecret(value) ? values.get(value.secret_value) : value
    if (plain === undefined) {
      return impossible(
        'container_config',
        `The secret value of the variable ${name} cannot be read. Set it again.`,
      )
    }
    if (isStoredSecret(value)) secrets.push(plain)
    env[name] = plain
  }
  const token = tokenOf(services, container)
  if (token === null) {
    return impossible('executor', 'The address of its callback cannot be made: its server key is gone.')
  }
  const spec: ImageSpec = {
    organizationId: container.organization_id,
    runId: container.run_id,
    attemptId,
    stepId: container.step_id,
    name: request.name,
    tag: request.tag,
    ...(request.command !== undefined && { command: request.command }),
    ...(request.args !== undefined && { args: request.args }),
    env,
    envFrom: request.env_from.map(sourceOf),
    timeoutSeconds: request.timeout_seconds,
    callbackUri: callbackUrl(publicUrl, attemptId, token),
  }
  // Whoever has the token may report, so that it is kept out of the log as well.
  return { spec, secrets: [...secrets, token] }
}

function tokenOf(services: Services, container: WatchedContainer): string | null {
  try {
    return callbackToken(services.encryption, container.attempt_id, container.callback_key_id ?? undefined)
      .token
  } catch {
    return null
  }
}

function sourceOf({
  prefix,
  ...source
}: NonNullable<WatchedContainer['request']>['env_from'][number]): EnvironmentSource {
  const from = 'secret' in source ? { secret: source.secret } : { configMap: source.config_map }
  return prefix === undefined ? from : { ...from, prefix }
}
