import type { Connection } from './connection.ts'

export interface IdleBounds {
  /** Unused connections kept open in all. */
  maxIdle: number
  /** Unused connections kept open per scope and origin. */
  maxIdlePerOrigin: number
}

/**
 * The connections that no call uses just now, by scope and origin. The one last used is taken first, so that the others
 * can time out; over the bounds, those of the origin not called for longest are closed.
 */
export class IdleConnections {
  readonly #bounds: IdleBounds
  /** In the order of last use, oldest first. */
  readonly #byKey = new Map<string, Connection[]>()
  #count = 0

  constructor(bounds: IdleBounds) {
    this.#bounds = bounds
  }

  get count(): number {
    return this.#count
  }

  get origins(): number {
    return this.#byKey.size
  }

  /**
   * Takes a connection to one of these addresses. One to an address that the name no longer has is closed: its peer was
   * judged by an answer that does not hold any more.
   */
  take(key: string, addresses: readonly string[]): Connection | null {
    const connections = this.#byKey.get(key)
    if (connections === undefined) return null
    for (let connection = connections.pop(); connection !== undefined; connection = connections.pop()) {
      this.#count--
      if (connections.length === 0) this.#byKey.delete(key)
      if (addresses.includes(connection.address)) return connection
      connection.destroy()
    }
    return null
  }

  give(connection: Connection): void {
    const { key } = connection
    const connections = this.#byKey.get(key) ?? []
    if (connections.length >= this.#bounds.maxIdlePerOrigin) {
      connection.destroy()
      return
    }
    connections.push(connection)
    this.#byKey.delete(key)
    this.#byKey.set(key, connections)
    this.#count++
    if (this.#count > this.#bounds.maxIdle) this.#closeOldest()
  }

  #closeOldest(): void {
    const oldest = this.#byKey.values().next().value?.[0]
    if (oldest === undefined) return
    this.forget(oldest)
    oldest.destroy()
  }

  /** Takes out one that was closed. */
  forget(connection: Connection): void {
    const connections = this.#byKey.get(connection.key)
    const at = connections?.indexOf(connection) ?? -1
    if (connections === undefined || at < 0) return
    connections.splice(at, 1)
    this.#count--
    if (connections.length === 0) this.#byKey.delete(connection.key)
  }

  /** Closes them all; resolves when their sockets are closed. */
  async close(): Promise<void> {
    const closed = [...this.#byKey.values()].flat().map(connection => connection.destroy())
    this.#byKey.clear()
    this.#count = 0
    await Promise.all(closed)
  }
}
