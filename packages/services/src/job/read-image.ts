import {
  checkConfigName,
  checkImageName,
  checkImageTag,
  checkVariableName,
  checkVariablePrefix,
  DEFAULT_CONTAINER_SECONDS,
  type EnvironmentSource,
  type FieldIssue,
  type Image,
} from '@workly/core'
import type { LimitDefaults } from '../limits.ts'
import { type DraftValues, isMask } from './read-request.ts'
import type { StoredEnvironmentSource, StoredImage } from './stored-request.ts'

/** An image as it was sent, secrets not yet stored. */
export interface DraftImage extends Omit<StoredImage, 'env'> {
  env: DraftValues
}

/**
 * Checks what an image says and fills in its defaults (spec section 3), adding what is wrong to `issues` under `image`. A
 * project's own `timeout_seconds` is that of its calls and stands for no container's.
 */
export function readImage(input: Image, issues: FieldIssue[]): DraftImage {
  const found = (field: string, message: string | null | undefined) => {
    if (message) issues.push({ field: `image.${field}`, message })
  }
  const problem = checkImageName(input.name, input.tag)
  if (problem?.field === 'name') found('name', problem.message)
  found('tag', checkImageTag(input.tag)?.message)
  const env = input.env ?? {}
  for (const name of Object.keys(env)) found(`env.${name}`, checkVariableName(name))
  return {
    kind: 'image',
    name: input.name,
    tag: input.tag,
    ...(input.command && { command: input.command }),
    ...(input.args && { args: input.args }),
    env,
    env_from: (input.env_from ?? []).map((source, i) => readSource(source, `env_from[${i}]`, found)),
    timeout_seconds: input.timeout_seconds ?? DEFAULT_CONTAINER_SECONDS,
    max_wait_seconds: input.max_wait_seconds ?? null,
  }
}

function readSource(
  source: EnvironmentSource,
  place: string,
  found: (field: string, message: string | null) => void,
): StoredEnvironmentSource {
  const { secret = null, config_map: configMap = null } = source
  if (secret !== null) found(`${place}.secret`, checkConfigName(secret))
  if (configMap !== null) found(`${place}.config_map`, checkConfigName(configMap))
  if (secret !== null && configMap !== null) found(place, 'Give secret or config_map, not both.')
  if (secret === null && configMap === null)
    found(place, 'Give secret or config_map: what the variables are taken from.')
  if (source.prefix) found(`${place}.prefix`, checkVariablePrefix(source.prefix))
  return {
    ...(secret === null ? { config_map: configMap ?? '' } : { secret }),
    // An empty prefix is none.
    ...(source.prefix && { prefix: source.prefix }),
  }
}

/**
 * Checks that what a container is given fits the operator's limit.
 * @param stored the stored values that masks stand for, by the names of their variables
 * @param place what stands before the field, such as `steps[1].`
 */
export function checkContainerSize(
  image: DraftImage,
  stored: Readonly<Record<string, string>>,
  limits: Pick<LimitDefaults, 'container_settings_bytes'>,
  place: string,
  issues: FieldIssue[],
): void {
  const variables = Object.entries(image.env).map(([name, value]) => {
    if (typeof value === 'string') return name + value
    return name + (isMask(value.secret) ? (stored[name] ?? '') : value.secret)
  })
  const texts = [...(image.command ?? []), ...(image.args ?? []), ...variables]
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  const most = limits.container_settings_bytes
  if (bytes <= most) return
  issues.push({
    field: `${place}image`,
    message: `Its command, arguments and environment have ${bytes} bytes together; at most ${most} are allowed.`,
  })
}
