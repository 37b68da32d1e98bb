import type { AttemptClass } from '@workly/core'

/** One attempt to run a container image (spec section 3). */
export interface ImageSpec {
  organizationId: string
  runId: string
  /** What the container is named after: for one attempt at most one container ever runs. */
  attemptId: string
  /** The step of a pipeline; null for a job that is an image. */
  stepId: string | null
  /** Name and tag as `checkImageName` takes them; the operator's registry is put before them here. */
  name: string
  tag: string
  /** In place of the image's entry point; taken literally, no `$(VARIABLE)` is expanded. */
  command?: readonly string[]
  /** In place of the image's own arguments; as literal as `command`. */
  args?: readonly string[]
  /** Secrets are already decrypted. Wins over `envFrom`; values are literal. */
  env: Readonly<Record<string, string>>
  /** The later wins where two give the same variable. */
  envFrom: readonly EnvironmentSource[]
  /** Deadline in seconds after which the container is killed: class `timeout`. */
  timeoutSeconds: number
  /** Given to the container as `callbackUri`, over anything else of that name. */
  callbackUri: string
}

/** A secret or config map of the organization, each of whose keys becomes a variable. */
export type EnvironmentSource = ({ secret: string } | { configMap: string }) & { prefix?: string }

/**
 * Where a container is. It follows from the organization and the attempt alone, so it can be stored before `start`; with
 * it any worker can watch and remove what another one started.
 */
export interface ContainerRef {
  executor: 'docker' | 'kubernetes'
  /** The Kubernetes namespace; under Docker the same name, which its volume bears. */
  namespace: string
  name: string
}

export type ContainerFailureClass = Extract<
  AttemptClass,
  'container_exit' | 'timeout' | 'image_pull' | 'container_config' | 'evicted' | 'executor' | 'cancelled'
>

/** What became of a container. */
export interface ContainerOutcome {
  class: 'ok' | ContainerFailureClass
  /** Null where no process ended, or nobody kept how. */
  exitCode: number | null
  /** Null when the class is `ok`; else what went wrong. It may quote the cluster or engine; mask secrets before storing. */
  message: string | null
  /**
   * The end of what the container wrote to its output and error output; null when there is none to be had (it never ran,
   * or its pod was gone first). Mask secrets in it before it is cut and stored.
   */
  log: string | null
  /** More was written before what there is of the log. */
  logIsCut: boolean
  /** Only with `executor`: refused for good (not retried), rather than unreachable (retried). */
  refused: boolean
}

export type StartResult =
  | { started: true; ref: ContainerRef /** The container was there already. */; adopted: boolean }
  | { started: false; ref: ContainerRef; outcome: ContainerOutcome }

export interface WatchOptions {
  /** Ends the watching, not the container: the promise then rejects with the signal's reason. */
  signal: AbortSignal
  /** How much of the log's end to keep, in bytes; default 64 KiB. More, for a caller that masks before it cuts. */
  keepLogBytes?: number
}

/** A container that this installation made and that is still there. */
export interface ListedContainer {
  ref: ContainerRef
  organizationId: string
  runId: string
  attemptId: string
  createdAt: Date
}

/** The cluster or engine did not do what it was asked. */
export class ExecutorError extends Error {
  override readonly name = 'ExecutorError'
  /** It answered and will not do it; asking again is no use. False: it could not be reached, or asks for a pause. */
  readonly refused: boolean
  /** How long it asked to be left alone, in milliseconds. */
  readonly retryAfterMs: number | null

  constructor(message: string, options: { refused: boolean; retryAfterMs?: number | null; cause?: unknown }) {
    super(message, { cause: options.cause })
    this.refused = options.refused
    this.retryAfterMs = options.retryAfterMs ?? null
  }
}

/**
 * Runs images as containers. Any number of workers may hold one for the same cluster or engine: all state is there.
 *
 * How to use it so that nothing is started twice: store `refFor(spec)`, then `start`; a worker that takes over an attempt
 * whose start was recorded calls `wait` only (where that is unknown, `start` again is safe as long as the container was
 * not removed). Commit an outcome first and `remove` afterwards. A cancel is committed, then `remove`d: a watcher in
 * the same process resolves with `cancelled`, one in another process sees a removal (`evicted`), which comes too late.
 */
export interface ImageExecutor {
  /** Where the container of this attempt is or would be. Throws when an id is none of Workly's. */
  refFor(attempt: Pick<ImageSpec, 'organizationId' | 'attemptId'>): ContainerRef
  /**
   * Starts the container, or finds it started; all that can be told at once is told here (under Docker: a missing image
   * or secret). Waits while the cluster or engine is away, for two minutes. Rejects only with the signal's reason.
   */
  start(spec: ImageSpec, signal: AbortSignal): Promise<StartResult>
  /**
   * Resolves as soon as it is known what became of the container, which may then still be stopping: start no other
   * attempt before `remove` has resolved. Rejects only with the signal's reason.
   */
  wait(ref: ContainerRef, options: WatchOptions): Promise<ContainerOutcome>
  /** The log so far; null when the container is gone. Rejects with ExecutorError, or the signal's reason. */
  logs(ref: ContainerRef, options: WatchOptions): Promise<string | null>
  /**
   * Ends the container if it runs (SIGTERM, then SIGKILL after a grace of 10 s), and resolves when it and all it had is
   * gone; at once if there is none. It waits as long as that takes (a node that is lost keeps its pods); after a start
   * that was aborted, something may still come into being, which the sweep finds. Rejects with the signal's reason, and
   * with ExecutorError after two minutes out of reach or when refused.
   */
  remove(ref: ContainerRef, signal: AbortSignal): Promise<void>
  /** All containers of this installation, finished ones too, for the sweep of leaked ones. Rejects with ExecutorError. */
  list(signal: AbortSignal): Promise<ListedContainer[]>
  /** Ends all connections and watches; containers go on. Waits in progress reject. */
  close(): Promise<void>
}
