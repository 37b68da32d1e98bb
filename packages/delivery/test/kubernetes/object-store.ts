import { randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { apiVersionOf, type ResourceKind } from './resource-kinds.ts'
import { Refusal, type StoredObject } from './stored-object.ts'

export interface StoreEvent {
  type: 'ADDED' | 'MODIFIED' | 'DELETED'
  kind: ResourceKind
  object: StoredObject
  version: number
}

function keyOf(kind: ResourceKind, namespace: string | undefined, name: string): string {
  return `${kind.plural}/${namespace ?? ''}/${name}`
}

/**
 * What etcd is to a cluster: objects under one counter of versions, and the history of their changes as long as it was
 * not compacted. Objects are handed out as copies.
 */
export class ObjectStore {
  readonly #objects = new Map<string, { kind: ResourceKind; object: StoredObject }>()
  readonly #emitter = new EventEmitter().setMaxListeners(0)
  #history: StoreEvent[] = []
  #version = 1000
  #oldest = 1000

  get version(): number {
    return this.#version
  }

  /** The version before which no watch can begin any more. */
  get oldest(): number {
    return this.#oldest
  }

  compact(): void {
    // A version of its own, so that what anyone holds is older.
    this.#oldest = ++this.#version
    this.#history = []
  }

  since(version: number): StoreEvent[] {
    return this.#history.filter(event => event.version > version)
  }

  onEvent(listener: (event: StoreEvent) => void): () => void {
    this.#emitter.on('event', listener)
    return () => this.#emitter.off('event', listener)
  }

  find(kind: ResourceKind, namespace: string | undefined, name: string): StoredObject | null {
    const found = this.#objects.get(keyOf(kind, namespace, name))
    return found === undefined ? null : structuredClone(found.object)
  }

  get(kind: ResourceKind, namespace: string | undefined, name: string): StoredObject {
    const found = this.find(kind, namespace, name)
    if (found === null) throw notFound(kind, name)
    return found
  }

  list(kind: ResourceKind, namespace: string | undefined): StoredObject[] {
    return [...this.#objects.values()]
      .filter(found => found.kind === kind)
      .filter(({ object }) => namespace === undefined || object.metadata.namespace === namespace)
      .map(({ object }) => structuredClone(object))
      .toSorted((a, b) => this.#nameOf(a).localeCompare(this.#nameOf(b)))
  }

  #nameOf({ metadata }: StoredObject): string {
    return `${metadata.namespace ?? ''}/${metadata.name}`
  }

  create(kind: ResourceKind, namespace: string | undefined, given: StoredObject): StoredObject {
    const { name } = given.metadata
    const key = keyOf(kind, namespace, name)
    if (this.#objects.has(key)) {
      throw new Refusal(409, 'AlreadyExists', `${kind.plural} "${name}" already exists`)
    }
    const object = structuredClone(given)
    object.apiVersion = apiVersionOf(kind)
    object.kind = kind.kind
    object.metadata = {
      ...object.metadata,
      ...(namespace === undefined ? {} : { namespace }),
      uid: randomUUID(),
      creationTimestamp: seconds(Date.now()),
    }
    return this.#commit('ADDED', kind, key, object)
  }

  /** Changes an object in place; what nobody has is left alone. */
  update(
    kind: ResourceKind,
    namespace: string | undefined,
    name: string,
    change: (object: StoredObject) => void,
  ): StoredObject | null {
    const object = this.find(kind, namespace, name)
    if (object === null) return null
    const before = JSON.stringify(object)
    change(object)
    // An update that changes nothing makes no version and no event.
    if (JSON.stringify(object) === before) return object
    return this.#commit('MODIFIED', kind, keyOf(kind, namespace, name), object)
  }

  delete(kind: ResourceKind, namespace: string | undefined, name: string): void {
    const object = this.find(kind, namespace, name)
    if (object === null) return
    this.#commit('DELETED', kind, keyOf(kind, namespace, name), object)
  }

  #commit(type: StoreEvent['type'], kind: ResourceKind, key: string, object: StoredObject): StoredObject {
    const version = ++this.#version
    object.metadata.resourceVersion = String(version)
    if (type === 'DELETED') this.#objects.delete(key)
    else this.#objects.set(key, { kind, object })
    const event = { type, kind, object: structuredClone(object), version }
    this.#history.push(event)
    this.#emitter.emit('event', event)
    return structuredClone(object)
  }
}

export function notFound(kind: ResourceKind, name: string): Refusal {
  const group = kind.group === '' ? kind.plural : `${kind.plural}.${kind.group}`
  return new Refusal(404, 'NotFound', `${group} "${name}" not found`)
}

/** An instant as Kubernetes writes it: whole seconds of UTC. */
export function seconds(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')
}
