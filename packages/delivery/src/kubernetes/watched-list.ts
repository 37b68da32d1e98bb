import { ExecutorError } from '../image.ts'
import { Patience, pause } from '../patience.ts'
import type { KubeApi } from './api.ts'
import { noAnswer } from './api-answer.ts'
import { listPages } from './list-pages.ts'
import type { KubeObject } from './objects.ts'
import { readWatch, type WatchEvent, WatchExpired } from './watch-stream.ts'

export interface WatchedListOptions {
  path: string
  labelSelector: string
  /** How long the server may be out of reach before that counts as a failure, in milliseconds. */
  patienceMs: number
  /** A watch on which nothing came for so long is given up, in milliseconds. */
  stallMs: number
}

/** How long one watch lasts, in seconds: each end is followed by a new list, which mends whatever was missed. */
const WATCH_SECONDS = 290
/** Between two lists, in milliseconds, so that a server that ends each watch at once is not stormed. */
const RELIST_PAUSE_MS = 100
/** Between two tries when patience has run out and everyone was told, in milliseconds. */
const HOPELESS_PAUSE_MS = 5000

function keyOf(object: KubeObject): string {
  return `${object.metadata?.namespace}/${object.metadata?.name}`
}

/**
 * The objects of one kind with Workly's labels in all namespaces, kept up to date by a list and a watch for ever, however
 * the watch ends. Readers are told of every change, and of a server that refuses or stays away.
 */
export class WatchedList<T extends KubeObject> {
  readonly #api: KubeApi
  readonly #options: WatchedListOptions
  readonly #onChange: (object: T) => void
  readonly #onFailure: () => void
  readonly #patience: Patience
  #objects = new Map<string, T>()
  #failure: ExecutorError | null = null
  #again = new AbortController()

  constructor(
    api: KubeApi,
    options: WatchedListOptions,
    told: { onChange: (object: T) => void; onFailure: () => void },
  ) {
    this.#api = api
    this.#options = options
    this.#patience = new Patience(options.patienceMs)
    this.#onChange = told.onChange
    this.#onFailure = told.onFailure
  }

  /** Why nothing new can be known; null while the list is current or the server was away only briefly. */
  get failure(): ExecutorError | null {
    return this.#failure
  }

  find(namespace: string, name: string): T | undefined {
    return this.#objects.get(`${namespace}/${name}`)
  }

  /** Runs until the signal is aborted; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#again = new AbortController()
      const again = AbortSignal.any([signal, this.#again.signal])
      const waitMs = await this.#round(signal).catch((error: unknown) =>
        signal.aborted ? 0 : this.#failed(error),
      )
      await pause(waitMs, again).catch(() => {})
    }
  }

  /** Forgets a failure that may be over by now, and looks at once; for a reader that comes later. */
  retry(): void {
    if (this.#failure === null) return
    this.#failure = null
    this.#patience.reached()
    this.#again.abort()
  }

  #failed(error: unknown): number {
    // What is no answer of the server's to such a request at all must not be asked for without end either.
    const failure = error instanceof ExecutorError ? error : noAnswer()
    const waitMs = this.#patience.missed(failure)
    if (waitMs !== null) return waitMs
    this.#failure = failure
    this.#onFailure()
    return HOPELESS_PAUSE_MS
  }

  /** One list and the watch that follows it. */
  async #round(signal: AbortSignal): Promise<number> {
    const { path, labelSelector, stallMs } = this.#options
    const { items, version } = await listPages<T>(this.#api, path, labelSelector, signal)
    this.#patience.reached()
    this.#failure = null
    this.#replace(items)
    const query = {
      labelSelector,
      watch: true,
      resourceVersion: version,
      allowWatchBookmarks: true,
      timeoutSeconds: WATCH_SECONDS,
    }
    const call = { method: 'GET', path, query } as const
    try {
      await readWatch<T>(this.#api, call, { signal, stallMs }, event => this.#apply(event))
    } catch (error) {
      if (!(error instanceof WatchExpired)) throw error
    }
    return RELIST_PAUSE_MS
  }

  #replace(items: readonly T[]): void {
    const before = this.#objects
    this.#objects = new Map(items.map(item => [keyOf(item), item]))
    for (const [key, object] of this.#objects) {
      if (before.get(key)?.metadata?.resourceVersion !== object.metadata?.resourceVersion) {
        this.#onChange(object)
      }
    }
    for (const [key, object] of before) if (!this.#objects.has(key)) this.#onChange(object)
  }

  #apply({ type, object }: WatchEvent<T>): void {
    if (type === 'BOOKMARK') return
    if (type === 'DELETED') this.#objects.delete(keyOf(object))
    else this.#objects.set(keyOf(object), object)
    this.#onChange(object)
  }
}
