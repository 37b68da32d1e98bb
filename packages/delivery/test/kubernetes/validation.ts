import { BlockList, isIP } from 'node:net'
import type { ResourceKind } from './resource-kinds.ts'
import { Refusal, type StoredObject } from './stored-object.ts'

const LABEL_NAME = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/
const LABEL_VALUE = /^$|^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/
const LABEL_KEY = /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
const VARIABLE = /^[-._a-zA-Z][-._a-zA-Z0-9]*$/

interface Container {
  name?: string
  image?: string
  env?: { name: string }[]
  envFrom?: { prefix?: string; secretRef?: { name: string }; configMapRef?: { name: string } }[]
}

function* labelProblems(path: string, labels: Record<string, string> | undefined): Generator<string> {
  for (const [key, value] of Object.entries(labels ?? {})) {
    if (!LABEL_KEY.test(key))
      yield `${path}: Invalid value: "${key}": name part must consist of alphanumerics`
    if (!LABEL_VALUE.test(value))
      yield `${path}: Invalid value: "${value}": must be no more than 63 characters`
  }
}

function* containerProblems(path: string, container: Container): Generator<string> {
  if (!LABEL_NAME.test(container.name ?? '')) yield `${path}.name: Required value`
  if ((container.image ?? '') === '') yield `${path}.image: Required value`
  for (const [i, { name }] of (container.env ?? []).entries()) {
    if (!VARIABLE.test(name)) yield `${path}.env[${i}].name: Invalid value: "${name}"`
  }
  for (const [i, { prefix, secretRef, configMapRef }] of (container.envFrom ?? []).entries()) {
    if (prefix !== undefined && prefix !== '' && !VARIABLE.test(prefix)) {
      yield `${path}.envFrom[${i}].prefix: Invalid value: "${prefix}"`
    }
    const name = secretRef?.name ?? configMapRef?.name ?? ''
    if (!SUBDOMAIN.test(name)) yield `${path}.envFrom[${i}].name: Invalid value: "${name}"`
  }
}

interface JobSpec {
  activeDeadlineSeconds?: number
  template?: {
    metadata?: { labels?: Record<string, string> }
    spec?: { restartPolicy?: string; containers?: Container[] }
  }
}

function* jobProblems({ activeDeadlineSeconds, template }: JobSpec): Generator<string> {
  if (activeDeadlineSeconds !== undefined && activeDeadlineSeconds < 0) {
    yield 'spec.activeDeadlineSeconds: Invalid value: must be greater than or equal to 0'
  }
  yield* labelProblems('spec.template.labels', template?.metadata?.labels)
  if (!['Never', 'OnFailure'].includes(template?.spec?.restartPolicy ?? 'Always')) {
    yield 'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'
  }
  const containers = template?.spec?.containers ?? []
  if (containers.length === 0) yield 'spec.template.spec.containers: Required value'
  for (const [i, container] of containers.entries()) {
    yield* containerProblems(`spec.template.spec.containers[${i}]`, container)
  }
}

interface PolicySpec {
  egress?: { to?: { ipBlock?: { cidr: string; except?: string[] } }[] }[]
}

function parseBlock(cidr: string): { address: string; bits: number; family: 'ipv4' | 'ipv6' } | null {
  const [, address = '', prefix = ''] = /^([^/]+)\/(\d+)$/.exec(cidr) ?? []
  const version = isIP(address)
  if (version === 0 || Number(prefix) > (version === 4 ? 32 : 128)) return null
  return { address, bits: Number(prefix), family: version === 4 ? 'ipv4' : 'ipv6' }
}

function isInside(inner: string, outer: string): boolean {
  const [a, b] = [parseBlock(inner), parseBlock(outer)]
  if (a === null || b === null || a.family !== b.family || a.bits <= b.bits) return false
  const list = new BlockList()
  list.addSubnet(b.address, b.bits, b.family)
  return list.check(a.address, a.family)
}

function* policyProblems({ egress = [] }: PolicySpec): Generator<string> {
  const blocks = egress.flatMap(({ to = [] }) => to.flatMap(({ ipBlock }) => ipBlock ?? []))
  for (const { cidr, except = [] } of blocks) {
    if (parseBlock(cidr) === null) yield `spec.egress.to.ipBlock.cidr: Invalid value: "${cidr}"`
    for (const inner of except.filter(block => !isInside(block, cidr))) {
      yield `spec.egress.to.ipBlock.except: Invalid value: "${inner}": must be a strict subset of cidr`
    }
  }
}

/** Refuses with 422 what a real server was seen to refuse, naming every field. */
export function validate(kind: ResourceKind, object: StoredObject): void {
  const problems: string[] = []
  const { name, labels } = object.metadata
  const isLabel = kind.plural === 'namespaces' || kind.plural === 'jobs'
  if (!(isLabel ? LABEL_NAME : SUBDOMAIN).test(name) || name.length > (isLabel ? 63 : 253)) {
    problems.push(`metadata.name: Invalid value: "${name}": must be no more than 63 characters`)
  }
  problems.push(...labelProblems('metadata.labels', labels))
  if (kind.plural === 'jobs') problems.push(...jobProblems((object.spec ?? {}) as JobSpec))
  if (kind.plural === 'networkpolicies') problems.push(...policyProblems((object.spec ?? {}) as PolicySpec))
  if (problems.length === 0) return
  throw new Refusal(422, 'Invalid', `${kind.kind} "${name}" is invalid: ${problems.join(', ')}`)
}
