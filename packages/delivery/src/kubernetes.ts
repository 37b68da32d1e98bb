import type { KubeConfig } from '@kubernetes/client-node'
import { checkExecutor, checkInstallation, managedBy, refOf } from './container-label.ts'
import { type ContainerLimits, DEFAULT_LIMITS } from './container-limits.ts'
import type { ImageExecutor } from './image.ts'
import { KubeApi } from './kubernetes/api.ts'
import { ClusterView } from './kubernetes/cluster-view.ts'
import type { JobSettings } from './kubernetes/job-manifest.ts'
import { JUDGE_TIMES, type JudgeTimes } from './kubernetes/judge.ts'
import { listContainers } from './kubernetes/list-containers.ts'
import type { Egress } from './kubernetes/network-policy.ts'
import { type DataVolume, OrganizationNamespaces, TRUSTED_MS } from './kubernetes/organization-namespace.ts'
import { readJobLog } from './kubernetes/pod-log.ts'
import { removeJob } from './kubernetes/remove-job.ts'
import { startJob } from './kubernetes/start-job.ts'
import { JobWatch } from './kubernetes/watch-job.ts'
import { LOG_BYTES } from './log-tail.ts'
import { PATIENCE_MS, patiently } from './patience.ts'
import { notStarted, refusedImage, startOrVerdict } from './start-result.ts'
import { Watches } from './watches.ts'

export interface KubernetesExecutorOptions {
  /** From `loadKubeConfig`, or made by hand. */
  config: KubeConfig
  /** `WORKLY_IMAGE_REGISTRY`: put before every image's name; empty for the nodes' default. */
  registry: string
  /** Tells installations apart that share a cluster; default `default`. */
  installation?: string
  limits?: ContainerLimits
  /** Default: 10Gi of the default storage class, `ReadWriteOnce`. */
  data?: Partial<DataVolume>
  egress?: Partial<Egress>
  imagePullSecrets?: readonly string[]
  /** How long a server that is away is waited for, in milliseconds; default two minutes. */
  patienceMs?: number
  /** How long one answer may take, in milliseconds; default 30 s. */
  answerMs?: number
  /** A watch without a word for so long is taken for dead, in milliseconds; default 75 s. */
  stallMs?: number
  times?: Partial<JudgeTimes>
  /** After this time, in milliseconds, an organization's namespace is set right again; default five minutes. */
  trustedMs?: number
}

const DEFAULT_DATA: DataVolume = { size: '10Gi', storageClass: null, accessMode: 'ReadWriteOnce' }

/** Images as Kubernetes Jobs, each organization's in a namespace of its own (spec section 3). */
export class KubernetesExecutor implements ImageExecutor {
  readonly #api: KubeApi
  readonly #view: ClusterView
  readonly #namespaces: OrganizationNamespaces
  readonly #settings: JobSettings & { registry: string }
  readonly #patienceMs: number
  readonly #times: JudgeTimes
  readonly #watches = new Watches()

  /** @throws Error for an installation's name that is none */
  constructor(options: KubernetesExecutorOptions) {
    const installation = checkInstallation(options.installation ?? 'default')
    this.#patienceMs = options.patienceMs ?? PATIENCE_MS
    this.#times = { ...JUDGE_TIMES, ...options.times }
    this.#api = new KubeApi(options.config, options.answerMs ?? 30_000)
    const stallMs = options.stallMs ?? 75_000
    this.#view = new ClusterView(this.#api, { installation, patienceMs: this.#patienceMs, stallMs })
    this.#settings = {
      installation,
      registry: options.registry,
      limits: options.limits ?? DEFAULT_LIMITS,
      imagePullSecrets: options.imagePullSecrets ?? [],
    }
    this.#namespaces = new OrganizationNamespaces(this.#api, {
      installation,
      data: { ...DEFAULT_DATA, ...options.data },
      egress: { allowedPrivate: [], dnsBlocks: [], callbackPeers: [], ...options.egress },
      trustedMs: options.trustedMs ?? TRUSTED_MS,
    })
  }

  refFor: ImageExecutor['refFor'] = attempt => refOf('kubernetes', attempt)

  start: ImageExecutor['start'] = async (spec, signal) => {
    const ref = this.refFor(spec)
    const refused = refusedImage(spec)
    if (refused !== null) return notStarted(ref, refused)
    const settings = this.#settings
    const start = { api: this.#api, namespaces: this.#namespaces, settings, spec, ref, signal }
    return startOrVerdict(ref, signal, () => patiently(this.#patienceMs, signal, () => startJob(start)))
  }

  wait: ImageExecutor['wait'] = (ref, { signal, keepLogBytes = LOG_BYTES }) => {
    const watch = new JobWatch(this.#api, this.#view, ref, {
      keepLogBytes,
      times: this.#times,
      patienceMs: this.#patienceMs,
    })
    const ended = new AbortController()
    const outcome = this.#watches.run(
      ref.name,
      signal,
      async own => {
        checkExecutor(ref, 'kubernetes')
        void this.#namespaces.keep(ref.namespace, AbortSignal.any([own, ended.signal]))
        return watch.verdict(own)
      },
      own => watch.log(own),
    )
    return outcome.finally(() => ended.abort())
  }

  logs: ImageExecutor['logs'] = async (ref, { signal, keepLogBytes = LOG_BYTES }) => {
    checkExecutor(ref, 'kubernetes')
    const read = () => readJobLog(this.#api, ref, keepLogBytes, signal)
    return (await patiently(this.#patienceMs, signal, read))?.text ?? null
  }

  remove: ImageExecutor['remove'] = async (ref, signal) => {
    checkExecutor(ref, 'kubernetes')
    await this.#watches.cancel(ref.name)
    const labels = managedBy(this.#settings.installation)
    await patiently(this.#patienceMs, signal, () => removeJob(this.#api, ref, labels, signal))
  }

  list: ImageExecutor['list'] = async signal => {
    const labels = managedBy(this.#settings.installation)
    return patiently(this.#patienceMs, signal, () => listContainers(this.#api, labels, signal))
  }

  close: ImageExecutor['close'] = async () => {
    this.#watches.close()
    this.#view.close()
  }
}
