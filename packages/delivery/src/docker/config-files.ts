import { readdir, readFile } from 'node:fs/promises'
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

async function readFolder(folder: string): Promise<[string, string][] | null> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
    throw error
  })
  if (entries === null) return null
  // A folder that Kubernetes or a tool like it filled has `..data` beside the keys, which are links through it.
  const keys = entries.filter(entry => !entry.isDirectory() && !entry.name.startsWith('..'))
  return Promise.all(
    keys.map(
      async ({ name }): Promise<[string, string]> => [name, await readFile(join(folder, name), 'utf8')],
    ),
  )
}

async function variablesOf(
  organizationFolder: string,
  source: EnvironmentSource,
): Promise<[string, string][]> {
  const { kind, folder, name } = describeSource(source)
  const problem = checkConfigName(name)
  if (problem !== null) throw new ConfigMissing(`"${name}" is no name of a ${kind}: ${problem}`)
  const values = await readFolder(join(organizationFolder, folder, name))
  if (values === null) throw new ConfigMissing(`The ${kind} "${name}" does not exist in this organization.`)
  const bad = values.find(([key, value]) => key.includes('=') || value.includes('\0'))
  if (bad !== undefined) {
    throw new ConfigMissing(`The key "${bad[0]}" of the ${kind} "${name}" can't be an environment variable.`)
  }
  return values.map(([key, value]): [string, string] => [`${source.prefix ?? ''}${key}`, value])
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
