import { isUtf8 } from 'node:buffer'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { checkConfigName } from '@workly/core'
import type { EnvironmentSource } from '../image.ts'

/** A secret or config map is not there or can't be an environment; the message is for the job's owner. */
export class ConfigMissing extends Error {
  override readonly name = 'ConfigMissing'
}

function describeSource(source: EnvironmentSource): { kind: string; folder: string; name: string } {
  return 'secret' in source
    ? { kind: 'secret', folder: 'secrets', name: source.secret }
    : { kind: 'config map', folder: 'configmaps', name: source.configMap }
}

async function readFolder(folder: string): Promise<[string, Buffer][] | null> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
    throw error
  })
  if (names === null) return null
  const values: [string, Buffer][] = []
  // A folder that Kubernetes or a tool like it filled has `..data` beside the keys, which are links through it.
  for (const name of names.filter(found => !found.startsWith('..'))) {
    const path = join(folder, name)
    // Of what is no file, a pipe would be waited for without end.
    if ((await stat(path)).isFile()) values.push([name, await readFile(path)])
  }
  return values
}

/** Without the path in the message: where the operator's files lie is nothing for the job's owner. */
async function readable<T>(what: string, reading: Promise<T>): Promise<T> {
  return reading.catch((error: NodeJS.ErrnoException) => {
    if (error.code === undefined) throw error
    throw new ConfigMissing(`The ${what} can't be read on the machine that runs images (${error.code}).`)
  })
}

/** @returns null for what no variable can hold: a NUL, or what is not UTF-8, which the engine's API could not be sent */
function textOf(value: Buffer): string | null {
  return isUtf8(value) && !value.includes(0) ? value.toString('utf8') : null
}

async function variablesOf(
  organizationFolder: string,
  source: EnvironmentSource,
): Promise<[string, string][]> {
  const { kind, folder, name } = describeSource(source)
  const problem = checkConfigName(name)
  if (problem !== null) throw new ConfigMissing(`"${name}" is no name of a ${kind}: ${problem}`)
  const reading = readFolder(join(organizationFolder, folder, name))
  const values = await readable(`${kind} "${name}"`, reading)
  if (values === null) throw new ConfigMissing(`The ${kind} "${name}" does not exist in this organization.`)
  return values.map(([key, value]): [string, string] => {
    const text = textOf(value)
    if (text === null || key.includes('=')) {
      throw new ConfigMissing(`The key "${key}" of the ${kind} "${name}" can't be an environment variable.`)
    }
    return [`${source.prefix ?? ''}${key}`, text]
  })
}

/**
 * The variables of secrets and config maps that are files in
 * `<configDir>/<organization id>/{secrets,configmaps}/<name>/<key>` (spec section 3), byte for byte: a line end at the
 * end of a file belongs to the value, as with Kubernetes' `--from-file`.
 * @param configDir `WORKLY_DOCKER_CONFIG_DIR`; null where none is set
 * @throws ConfigMissing that names the first one that is not there
 */
export async function readConfig(
  configDir: string | null,
  organizationId: string,
  sources: readonly EnvironmentSource[],
): Promise<Record<string, string>> {
  const variables: Record<string, string> = {}
  for (const source of sources) {
    if (configDir === null) {
      const { kind, name } = describeSource(source)
      throw new ConfigMissing(
        `The ${kind} "${name}" can't be read: the operator has set no WORKLY_DOCKER_CONFIG_DIR.`,
      )
    }
    for (const [key, value] of await variablesOf(join(configDir, organizationId), source)) {
      variables[key] = value
    }
  }
  return variables
}
