import type { Sql, TransactionSql } from '@workly/db'
import type { Services } from '../context.ts'
import { type StoredRequest, secretIdsOf } from '../job/stored-request.ts'

/** How many decrypted values a worker keeps; they never change under their id. */
const KEPT = 2_000

/** Decrypts the secret values that requests refer to, keeping recent ones. One per worker process. */
export class SecretValues {
  readonly #services: Services
  readonly #kept = new Map<string, string>()

  readonly #onUnreadable: (secretId: string, error: unknown) => void

  /** @param onUnreadable told of a value whose encryption key is gone; it is left out */
  constructor(
    services: Services,
    onUnreadable: (secretId: string, error: unknown) => void = () => undefined,
  ) {
    this.#services = services
    this.#onUnreadable = onUnreadable
  }

  /**
   * The values of all secrets of the given requests, by id, with one query for those not kept.
   * @param sql within a transaction, that transaction: one that waited for a second connection could wait for others
   * that do the same
   */
  async of(
    requests: StoredRequest[],
    sql: Sql | TransactionSql = this.#services.sql,
  ): Promise<ReadonlyMap<string, string>> {
    const wanted = new Set(requests.flatMap(secretIdsOf))
    const values = new Map<string, string>()
    const missing: string[] = []
    for (const id of wanted) {
      const kept = this.#kept.get(id)
      if (kept === undefined) missing.push(id)
      else values.set(id, kept)
    }
    if (missing.length === 0) return values
    const { encryption } = this.#services
    const rows = await sql<{ id: string; ciphertext: Uint8Array; encryption_key_id: string }[]>`
      select id, ciphertext, encryption_key_id from secret_values where id = any(${missing})`
    for (const row of rows) {
      try {
        const value = encryption.decrypt(row.ciphertext, row.encryption_key_id, row.id)
        values.set(row.id, value)
        this.#kept.set(row.id, value)
      } catch (error) {
        this.#onUnreadable(row.id, error)
      }
    }
    for (const id of this.#kept.keys()) {
      if (this.#kept.size <= KEPT) break
      this.#kept.delete(id)
    }
    return values
  }
}
