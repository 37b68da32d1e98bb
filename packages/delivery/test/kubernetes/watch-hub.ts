import type { ServerResponse } from 'node:http'
import type { ObjectStore, StoreEvent } from './object-store.ts'
import { apiVersionOf, type ResourceKind } from './resource-kinds.ts'
import { matches } from './selector.ts'
import { Refusal, type StoredObject } from './stored-object.ts'

export interface WatchRequest {
  kind: ResourceKind
  namespace: string | undefined
  query: URLSearchParams
}

interface OpenWatch {
  response: ServerResponse
  /** Says a last thing, and nothing after it. */
  end(last?: string): void
}

function line(type: string, object: object): string {
  return `${JSON.stringify({ type, object })}\n`
}

/** The watches that are open, each a response of JSON lines without end. */
export class WatchHub {
  readonly #store: ObjectStore
  readonly #open = new Set<OpenWatch>()
  readonly #bookmarkMs: number
  /** Open watches say nothing more while this is set, as behind a proxy that lost the server. */
  silent = false
  /** How many were opened in all. */
  opened = 0

  constructor(store: ObjectStore, bookmarkMs: number) {
    this.#store = store
    this.#bookmarkMs = bookmarkMs
  }

  get count(): number {
    return this.#open.size
  }

  /** As at the server's timeout: an end without an error. */
  endAll(): void {
    for (const watch of this.#open) watch.end()
  }

  /** As when the server is killed: an end in the middle. */
  breakAll(): void {
    for (const watch of this.#open) watch.response.destroy()
  }

  /** As when history was compacted: an ERROR event, then an end without an error. */
  expireAll(): void {
    const status = new Refusal(410, 'Expired', 'too old resource version').body()
    for (const watch of this.#open) watch.end(line('ERROR', status))
  }

  open(request: WatchRequest, response: ServerResponse): void {
    this.opened++
    response.writeHead(200, { 'content-type': 'application/json', 'transfer-encoding': 'chunked' })
    response.flushHeaders()
    const from = Number(request.query.get('resourceVersion') || '0')
    if (from !== 0 && from < this.#store.oldest) {
      const message = `too old resource version: ${from} (${this.#store.oldest})`
      response.end(line('ERROR', new Refusal(410, 'Expired', message).body()))
      return
    }
    const write = (type: string, object: object) => {
      if (!this.silent) response.write(line(type, object))
    }
    this.#sendPast(request, from, write)
    this.#follow(request, response, write)
  }

  #sendPast(request: WatchRequest, from: number, write: (type: string, object: object) => void): void {
    const { kind, namespace, query } = request
    const initial = query.get('sendInitialEvents') === 'true'
    if (!initial && from !== 0) {
      for (const event of this.#store.since(from)) {
        if (wanted(event, request)) write(event.type, event.object)
      }
      return
    }
    for (const object of this.#store.list(kind, namespace)) {
      if (matches(object, query)) write('ADDED', object)
    }
    if (initial) write('BOOKMARK', this.#bookmark(kind, { 'k8s.io/initial-events-end': 'true' }))
  }

  #bookmark(kind: ResourceKind, annotations?: Record<string, string>): object {
    return {
      apiVersion: apiVersionOf(kind),
      kind: kind.kind,
      metadata: {
        resourceVersion: String(this.#store.version),
        creationTimestamp: null,
        ...(annotations === undefined ? {} : { annotations }),
      },
    }
  }

  #follow(
    request: WatchRequest,
    response: ServerResponse,
    write: (type: string, object: object) => void,
  ): void {
    const off = this.#store.onEvent(event => {
      if (wanted(event, request)) write(event.type, event.object)
    })
    const timeout = Number(request.query.get('timeoutSeconds') ?? '300')
    const timer = setTimeout(() => watch.end(), timeout * 1000)
    const bookmarks = request.query.get('allowWatchBookmarks') === 'true'
    const tick = setInterval(() => {
      if (bookmarks) write('BOOKMARK', this.#bookmark(request.kind))
    }, this.#bookmarkMs)
    const stop = () => {
      off()
      clearTimeout(timer)
      clearInterval(tick)
      this.#open.delete(watch)
    }
    const watch: OpenWatch = {
      response,
      end: last => {
        stop()
        response.end(last)
      },
    }
    this.#open.add(watch)
    response.on('close', stop)
    response.on('finish', stop)
  }
}

function wanted(
  { kind, object }: { kind: ResourceKind; object: StoredObject } | StoreEvent,
  request: WatchRequest,
) {
  return (
    kind === request.kind &&
    (request.namespace === undefined || object.metadata.namespace === request.namespace) &&
    matches(object, request.query)
  )
}
