import { type Cidr, parseCidrs } from '@workly/core'
import type { DockerExecutorOptions, KubernetesExecutorOptions } from '@workly/delivery'
import type { EnvironmentReader } from '@workly/services'

/** What holds for every executor. */
interface CommonSettings {
  /** `WORKLY_IMAGE_REGISTRY`; empty for the engine's default. */
  registry: string
  /** `WORKLY_IMAGE_CPUS`, `WORKLY_IMAGE_MEMORY`: what one container may use. */
  limits: { cpus: number; memoryBytes: number }
  /** `WORKLY_INSTALLATION`; null: the name that the database keeps. */
  installation: string | null
}

export interface DockerSettings extends CommonSettings {
  executor: 'docker'
  /** `WORKLY_DOCKER_SOCKET`, or `WORKLY_DOCKER_HOST` with `WORKLY_DOCKER_CERT_DIR`. */
  engine:
    | { socketPath: string }
    | { protocol: 'http' | 'https'; host: string; port: number; certDir: string | null }
  /** `WORKLY_IMAGE_REGISTRY_USER`, `WORKLY_IMAGE_REGISTRY_PASSWORD`. */
  registryAuth: NonNullable<DockerExecutorOptions['registryAuth']> | null
  /** `WORKLY_DOCKER_CONFIG_DIR`. */
  configDir: string | null
  /** `WORKLY_DOCKER_NETWORK`. */
  network: string
}

export interface KubernetesSettings extends CommonSettings {
  executor: 'kubernetes'
  /** `KUBECONFIG`; without it the service account of the pod that this runs in. */
  kubeConfig: { file: string } | 'in-cluster'
  /** `WORKLY_KUBERNETES_DATA_SIZE`, `_STORAGE_CLASS`, `_ACCESS_MODE`: the claim for `/data`. */
  data: NonNullable<KubernetesExecutorOptions['data']>
  /** `WORKLY_KUBERNETES_PULL_SECRETS`. */
  pullSecrets: string[]
  /** `WORKLY_KUBERNETES_DNS_BLOCKS`: name servers outside the cluster's own. */
  dnsBlocks: Cidr[]
  /** `WORKLY_KUBERNETES_CALLBACK_PODS`: the pods that take callbacks. */
  callbackPods: NonNullable<NonNullable<KubernetesExecutorOptions['egress']>['callbackPeers']>[number][]
}

/** What runs images (spec section 3). */
export type ImageSettings = { executor: 'none' } | DockerSettings | KubernetesSettings

const EXECUTORS = ['none', 'docker', 'kubernetes'] as const
const ACCESS_MODES = ['ReadWriteOnce', 'ReadWriteMany'] as const
/** A DNS label, or several with dots between them (RFC 1123). */
const NAME = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/
const REGISTRY = /^[A-Za-z0-9][A-Za-z0-9.-]*(?::\d{1,5})?(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*\/?$/
const INSTALLATION = /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/
const QUANTITY = /^[1-9]\d{0,9}(?:Mi|Gi|Ti)$/
const SMALLEST_MEMORY = 6 * 1024 ** 2

/** `512Mi`, `2Gi`: a number of bytes. @throws Error that says what is allowed */
function readMemory(text: string): number {
  const [, digits = '', unit = ''] = /^([1-9]\d{0,9})(Mi|Gi)?$/.exec(text) ?? []
  const bytes = Number(digits) * (unit === 'Gi' ? 1024 ** 3 : unit === 'Mi' ? 1024 ** 2 : 1)
  if (digits !== '' && bytes >= SMALLEST_MEMORY) return bytes
  throw new Error(`"${text}" is no amount of memory; 6Mi or more is allowed, such as 512Mi or 2Gi.`)
}

/** @throws Error that says what is allowed */
function readCpus(text: string): number {
  const cpus = /^\d{1,4}(?:\.\d{1,3})?$/.test(text) ? Number(text) : Number.NaN
  if (cpus >= 0.01) return cpus
  throw new Error(`"${text}" is no number of cores; 0.01 or more is allowed, such as 0.5 or 2.`)
}

/** @throws Error that says what is allowed */
function matching(pattern: RegExp, what: string): (text: string) => string {
  return text => {
    if (pattern.test(text)) return text
    throw new Error(`"${text}" is ${what}.`)
  }
}

function optional(read: EnvironmentReader, name: string, parse: (text: string) => string): string | null {
  const text = read.text(name)
  return text === undefined ? null : read.parsed(name, text, parse, text)
}

const items = (text: string) =>
  text
    .split(',')
    .map(item => item.trim())
    .filter(item => item !== '')

function readCommon(read: EnvironmentReader): CommonSettings {
  const registry = optional(
    read,
    'WORKLY_IMAGE_REGISTRY',
    matching(REGISTRY, 'no registry; write it such as registry.example.com/team, without https://'),
  )
  const installation = optional(
    read,
    'WORKLY_INSTALLATION',
    matching(
      INSTALLATION,
      'no name of an installation: 1 to 40 lower-case letters, digits and "-", not at the ends',
    ),
  )
  return {
    registry: registry ?? '',
    limits: {
      cpus: read.parsed('WORKLY_IMAGE_CPUS', read.text('WORKLY_IMAGE_CPUS') ?? '1', readCpus, 1),
      memoryBytes: read.parsed(
        'WORKLY_IMAGE_MEMORY',
        read.text('WORKLY_IMAGE_MEMORY') ?? '1Gi',
        readMemory,
        0,
      ),
    },
    installation,
  }
}

const HOST_FORM = 'http://host:2375 or https://host:2376'

/** @throws Error that says what is allowed */
function readHost(text: string): { protocol: 'http' | 'https'; host: string; port: number } {
  const url = URL.parse(text.replace(/^tcp:/, 'http:'))
  const bare = url !== null && url.pathname === '/' && url.search === '' && url.username === ''
  if (bare && (url.protocol === 'http:' || url.protocol === 'https:') && url.port !== '') {
    const protocol = url.protocol === 'https:' ? 'https' : 'http'
    return { protocol, host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port) }
  }
  throw new Error(`"${text}" is no address of an engine; write it such as ${HOST_FORM}.`)
}

function readEngine(read: EnvironmentReader): DockerSettings['engine'] {
  const host = read.text('WORKLY_DOCKER_HOST')
  const socketPath = read.text('WORKLY_DOCKER_SOCKET')
  const certDir = read.text('WORKLY_DOCKER_CERT_DIR') ?? null
  const none = { protocol: 'http', host: '', port: 0 } as const
  if (host !== undefined && socketPath !== undefined) {
    read.refuse('WORKLY_DOCKER_SOCKET and WORKLY_DOCKER_HOST are both set; give one of them.')
  }
  if (host === undefined) return { socketPath: socketPath ?? '/var/run/docker.sock' }
  const engine = read.parsed('WORKLY_DOCKER_HOST', host, readHost, none)
  if (certDir !== null && engine.protocol !== 'https') {
    read.refuse('WORKLY_DOCKER_CERT_DIR is for a WORKLY_DOCKER_HOST that begins with https://.')
  }
  return { ...engine, certDir }
}

function readRegistryAuth(read: EnvironmentReader): DockerSettings['registryAuth'] {
  const username = read.text('WORKLY_IMAGE_REGISTRY_USER')
  const password = read.text('WORKLY_IMAGE_REGISTRY_PASSWORD')
  if (username !== undefined && password !== undefined) return { username, password }
  if (username !== undefined || password !== undefined) {
    read.refuse('WORKLY_IMAGE_REGISTRY_USER and WORKLY_IMAGE_REGISTRY_PASSWORD are only of use together.')
  }
  return null
}

/** `namespace:label=value,label=value`; several with a space between them. @throws Error that says what is allowed */
function readPods(text: string): KubernetesSettings['callbackPods'] {
  return text
    .split(/\s+/)
    .filter(part => part !== '')
    .map(part => {
      const [namespace = '', labels = '', ...rest] = part.split(':')
      const pairs = items(labels).map(item => item.split('='))
      const isGood = pairs.every(pair => pair.length === 2 && pair.every(side => side !== ''))
      if (!NAME.test(namespace) || pairs.length === 0 || !isGood || rest.length > 0) {
        throw new Error(`"${part}" names no pods; write them such as workly:app=workly-api.`)
      }
      return {
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
        podSelector: { matchLabels: Object.fromEntries(pairs) as Record<string, string> },
      }
    })
}

function readKubernetes(read: EnvironmentReader, common: CommonSettings): KubernetesSettings {
  const file = read.text('KUBECONFIG')
  if (file?.includes(':')) read.refuse('KUBECONFIG names several files; one is allowed.')
  const size = optional(
    read,
    'WORKLY_KUBERNETES_DATA_SIZE',
    matching(QUANTITY, 'no size; write it such as 10Gi'),
  )
  const storageClass = optional(
    read,
    'WORKLY_KUBERNETES_DATA_STORAGE_CLASS',
    matching(NAME, 'no name of a storage class'),
  )
  const pullSecrets = items(read.text('WORKLY_KUBERNETES_PULL_SECRETS') ?? '')
  for (const name of pullSecrets) {
    if (!NAME.test(name)) read.refuse(`WORKLY_KUBERNETES_PULL_SECRETS: "${name}" is no name of a secret.`)
  }
  return {
    ...common,
    executor: 'kubernetes',
    kubeConfig: file === undefined ? 'in-cluster' : { file },
    data: {
      ...(size !== null && { size }),
      ...(storageClass !== null && { storageClass }),
      accessMode: read.choice('WORKLY_KUBERNETES_DATA_ACCESS_MODE', ACCESS_MODES, 'ReadWriteOnce'),
    },
    pullSecrets,
    dnsBlocks: read.parsed(
      'WORKLY_KUBERNETES_DNS_BLOCKS',
      read.text('WORKLY_KUBERNETES_DNS_BLOCKS') ?? '',
      parseCidrs,
      [],
    ),
    callbackPods: read.parsed(
      'WORKLY_KUBERNETES_CALLBACK_PODS',
      read.text('WORKLY_KUBERNETES_CALLBACK_PODS') ?? '',
      readPods,
      [],
    ),
  }
}

/** Reads which executor runs images, and only what concerns that one. Problems are the reader's to tell. */
export function readImageSettings(read: EnvironmentReader): ImageSettings {
  const executor = read.choice('WORKLY_IMAGE_EXECUTOR', EXECUTORS, 'none')
  if (executor === 'none') return { executor }
  const common = readCommon(read)
  if (executor === 'kubernetes') return readKubernetes(read, common)
  return {
    ...common,
    executor,
    engine: readEngine(read),
    registryAuth: readRegistryAuth(read),
    configDir: read.text('WORKLY_DOCKER_CONFIG_DIR') ?? null,
    network: read.text('WORKLY_DOCKER_NETWORK') ?? 'bridge',
  }
}
