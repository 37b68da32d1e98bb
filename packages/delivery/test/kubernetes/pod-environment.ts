import type { ObjectStore } from './object-store.ts'
import { kindOf } from './object-writes.ts'
import type { StoredObject } from './stored-object.ts'

export interface PodContainer {
  name: string
  image: string
  command?: string[]
  args?: string[]
  env?: { name: string; value?: string }[]
  envFrom?: { prefix?: string; secretRef?: { name: string }; configMapRef?: { name: string } }[]
  resources?: { limits?: Record<string, string> }
  securityContext?: { allowPrivilegeEscalation?: boolean; capabilities?: { drop?: string[] } }
  volumeMounts?: { name: string; mountPath: string }[]
}

/** A secret or config map that is not there, in the kubelet's words. */
export class ConfigError extends Error {}

/** `$(NAME)` becomes the variable's value if there is one, `$$` a dollar; anything else stays. */
export function expand(text: string, variables: ReadonlyMap<string, string>): string {
  return text.replace(/\$\$|\$\(([^)]*)\)/g, (all, name: string | undefined) =>
    all === '$$' ? '$' : (variables.get(name ?? '') ?? all),
  )
}

function valuesOf(
  store: ObjectStore,
  namespace: string,
  source: NonNullable<PodContainer['envFrom']>[number],
) {
  const { secretRef, configMapRef } = source
  const name = secretRef?.name ?? configMapRef?.name ?? ''
  const [plural, word] = secretRef === undefined ? ['configmaps', 'configmap'] : ['secrets', 'secret']
  const found = store.find(kindOf(plural), namespace, name)
  if (found === null) throw new ConfigError(`${word} "${name}" not found`)
  return Object.entries(found.data ?? {}).map(([key, value]): [string, string] => [
    `${source.prefix ?? ''}${key}`,
    secretRef === undefined ? value : Buffer.from(value, 'base64').toString(),
  ])
}

/** The environment as a kubelet makes it: sources first, then the variables, each able to use those before it. */
export function environmentOf(
  store: ObjectStore,
  pod: StoredObject,
  container: PodContainer,
): Map<string, string> {
  const variables = new Map<string, string>()
  for (const source of container.envFrom ?? []) {
    for (const [name, value] of valuesOf(store, pod.metadata.namespace ?? '', source))
      variables.set(name, value)
  }
  for (const { name, value = '' } of container.env ?? []) variables.set(name, expand(value, variables))
  return variables
}
