import type { StoredObject } from './stored-object.ts'

/** Label selectors of equality and existence, as `a=b,c!=d,e`; field selectors of name and namespace. */
export function matches(object: StoredObject, query: URLSearchParams): boolean {
  const labels = object.metadata.labels ?? {}
  const byLabel = parts(query.get('labelSelector')).every(part => matchesPart(part, key => labels[key]))
  const fields: Record<string, string | undefined> = {
    'metadata.name': object.metadata.name,
    'metadata.namespace': object.metadata.namespace,
  }
  return byLabel && parts(query.get('fieldSelector')).every(part => matchesPart(part, key => fields[key]))
}

function parts(selector: string | null): string[] {
  return (selector ?? '').split(',').filter(part => part !== '')
}

function matchesPart(part: string, lookUp: (key: string) => string | undefined): boolean {
  const found = /^([^=!]+)(!=|==|=)(.*)$/.exec(part)
  if (found === null) return lookUp(part) !== undefined
  const [, key = '', operator, value] = found
  return (lookUp(key) === value) === (operator !== '!=')
}
