import { createRequire } from 'node:module'
import type Dockerode from 'dockerode'
import { checkExecutor, checkInstallation, listed, managedBy, refOf } from './container-label.ts'
import { type ContainerLimits, DEFAULT_LIMITS } from './container-limits.ts'
import { readLog } from './docker/container-log.ts'
import { Engine, sound } from './docker/engine.ts'
import { removeContainer } from './docker/remove-container.ts'
import { type StartSettings, startAttempt } from './docker/start-attempt.ts'
import { watchContainer } from './docker/watch-container.ts'
import type { ContainerRef, ImageExecutor, ImageSpec } from './image.ts'
import { LOG_BYTES } from './log-tail.ts'
import { PATIENCE_MS, patiently } from './patience.ts'
import { notStarted, refusedImage, startOrVerdict } from './start-result.ts'
import { Watches } from './watches.ts'

export interface DockerExecutorOptions {
  /** Where the engine listens: `/var/run/docker.sock`, or a host and port with its TLS material. */
  engine: Dockerode.DockerOptions
  /** `WORKLY_IMAGE_REGISTRY`: put before every image's name; empty for Docker Hub. */
  registry: string
  /** For pulls from that registry. */
  registryAuth?: { username: string; password: string; serveraddress?: string }
  /** `WORKLY_DOCKER_CONFIG_DIR`, with the organizations' secrets and config maps; null for none. */
  configDir: string | null
  /** Tells installations apart that share an engine; default `default`. */
  installation?: string
  limits?: ContainerLimits
  /** Docker's network mode or the name of a network; default `bridge`. */
  network?: string
  /** How long an engine that is away is waited for, in milliseconds; default two minutes. */
  patienceMs?: number
  /**
   * After this time, in milliseconds, a watcher starts a container whose maker made it and did not start it; the maker
   * itself has half of it. Default 20 s.
   */
  adoptAfterMs?: number
  /** How long a registry that can't be reached is asked again, in milliseconds; default 20 s. */
  pullPatienceMs?: number
  /** How long one answer of the engine may take, in milliseconds; default 30 s. */
  answerMs?: number
}

/** Loaded with the first executor: a worker that runs no images does without its ten megabytes. */
function openEngine(options: Dockerode.DockerOptions): Dockerode {
  const Docker: typeof Dockerode = createRequire(import.meta.url)('dockerode')
  return new Docker(options)
}

/** Images as containers of one Docker engine, for a machine without a cluster (spec section 3). */
export class DockerExecutor implements ImageExecutor {
  readonly #engine: Engine
  readonly #settings: StartSettings
  readonly #patienceMs: number
  readonly #watches = new Watches()

  /** @throws Error for an installation's name that is none */
  constructor(options: DockerExecutorOptions) {
    this.#engine = new Engine(openEngine(options.engine), options.answerMs ?? 30_000)
    this.#patienceMs = options.patienceMs ?? PATIENCE_MS
    this.#settings = {
      installation: checkInstallation(options.installation ?? 'default'),
      limits: options.limits ?? DEFAULT_LIMITS,
      network: options.network ?? 'bridge',
      registry: options.registry,
      registryAuth: options.registryAuth,
      configDir: options.configDir,
      pullPatienceMs: options.pullPatienceMs ?? 20_000,
      adoptAfterMs: options.adoptAfterMs ?? 20_000,
    }
  }

  refFor: ImageExecutor['refFor'] = attempt => refOf('docker', attempt)

  start: ImageExecutor['start'] = async (spec: ImageSpec, signal) => {
    const ref = this.refFor(spec)
    const refused = refusedImage(spec)
    if (refused !== null) return notStarted(ref, refused)
    const start = { engine: this.#engine, settings: this.#settings, spec, ref, signal }
    return startOrVerdict(ref, signal, () => patiently(this.#patienceMs, signal, () => startAttempt(start)))
  }

  wait: ImageExecutor['wait'] = (ref, { signal, keepLogBytes = LOG_BYTES }) =>
    this.#watches.run(
      ref.name,
      signal,
      async own => {
        checkExecutor(ref, 'docker')
        const { adoptAfterMs } = this.#settings
        const watching = { engine: this.#engine, patienceMs: this.#patienceMs, adoptAfterMs }
        return watchContainer(watching, ref, own)
      },
      own => readLog(this.#engine, ref.name, keepLogBytes, own),
    )

  logs: ImageExecutor['logs'] = async (ref, { signal, keepLogBytes = LOG_BYTES }) => {
    checkExecutor(ref, 'docker')
    const read = () => readLog(this.#engine, ref.name, keepLogBytes, signal)
    return (await patiently(this.#patienceMs, signal, read))?.text ?? null
  }

  remove: ImageExecutor['remove'] = async (ref: ContainerRef, signal) => {
    checkExecutor(ref, 'docker')
    await this.#watches.cancel(ref.name)
    const labels = managedBy(this.#settings.installation)
    await patiently(this.#patienceMs, signal, () => removeContainer(this.#engine, ref.name, labels, signal))
  }

  list: ImageExecutor['list'] = async signal => {
    const label = Object.entries(managedBy(this.#settings.installation)).map(
      ([key, value]) => `${key}=${value}`,
    )
    const found = await patiently(this.#patienceMs, signal, async () => {
      const all = await this.#engine.call(signal, (docker, abortSignal) =>
        docker.listContainers({ all: true, filters: { label }, abortSignal }),
      )
      return sound(all, Array.isArray(all))
    })
    return found.flatMap(({ Names: [name = ''], Labels: labels, Created: seconds }) => {
      const found = { name: name.slice(1), labels, createdAt: new Date(seconds * 1000) }
      return listed('docker', found) ?? []
    })
  }

  close: ImageExecutor['close'] = async () => this.#watches.close()
}
