/** A kind of object that the fake API server keeps. */
export interface ResourceKind {
  group: string
  version: string
  plural: string
  singular: string
  kind: string
  namespaced: boolean
  shortNames: string[]
}

function kind(group: string, plural: string, name: string, namespaced: boolean, shortNames: string[] = []) {
  return { group, version: 'v1', plural, singular: name.toLowerCase(), kind: name, namespaced, shortNames }
}

export const KINDS: readonly ResourceKind[] = [
  kind('', 'namespaces', 'Namespace', false, ['ns']),
  kind('', 'pods', 'Pod', true, ['po']),
  kind('', 'secrets', 'Secret', true),
  kind('', 'configmaps', 'ConfigMap', true, ['cm']),
  kind('', 'persistentvolumeclaims', 'PersistentVolumeClaim', true, ['pvc']),
  kind('batch', 'jobs', 'Job', true),
  kind('networking.k8s.io', 'networkpolicies', 'NetworkPolicy', true, ['netpol']),
]

export function apiVersionOf({ group, version }: Pick<ResourceKind, 'group' | 'version'>): string {
  return group === '' ? version : `${group}/${version}`
}

export const VERBS = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch']

/** The documents by which kubectl learns what a server has (the older form, which every kubectl falls back to). */
export function discoveryDocument(path: string): object | null {
  if (path === '/version') return { major: '1', minor: '36', gitVersion: 'v1.36.0', platform: 'linux/amd64' }
  if (path === '/api') return { kind: 'APIVersions', versions: ['v1'] }
  const groups = [...new Set(KINDS.map(({ group }) => group))].filter(group => group !== '')
  if (path === '/apis') {
    return {
      kind: 'APIGroupList',
      apiVersion: 'v1',
      groups: groups.map(name => {
        const version = { groupVersion: `${name}/v1`, version: 'v1' }
        return { name, versions: [version], preferredVersion: version }
      }),
    }
  }
  const group = path === '/api/v1' ? '' : groups.find(name => path === `/apis/${name}/v1`)
  if (group === undefined) return null
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: apiVersionOf({ group, version: 'v1' }),
    resources: KINDS.filter(found => found.group === group).map(found => ({
      name: found.plural,
      singularName: found.singular,
      namespaced: found.namespaced,
      kind: found.kind,
      shortNames: found.shortNames,
      verbs: VERBS,
    })),
  }
}
