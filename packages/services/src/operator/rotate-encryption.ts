import type { Services } from '../context.ts'

/** Tables with ciphertexts; each is bound to the id of its row. */
const TABLES = ['signing_secrets', 'secret_values', 'alert_channels'] as const
const ROWS_PER_BATCH = 200

/** A secret that could not be read, so that it still has its old key. */
export interface Unreadable {
  table: (typeof TABLES)[number]
  id: string
  keyId: string
  reason: string
}

export interface Rotation {
  /** The key that everything readable is encrypted with now. */
  keyId: string
  /** Secrets that were encrypted anew. */
  rotated: number
  unreadable: Unreadable[]
  /** Older keys by which callbacks are still waited for, and how many. They are needed until those have come. */
  awaited: { keyId: string; waits: number }[]
}

interface Row {
  id: string
  ciphertext: Uint8Array
  encryption_key_id: string
}

/**
 * Encrypts every stored secret anew with the newest key (spec section 10). It works in batches that stand by
 * themselves: stopped in the middle and started again, it goes on with what still has an older key. Workly goes on
 * meanwhile, since all keys decrypt. What cannot be read is left as it is, and told.
 * @param onBatch hears how many secrets have been encrypted anew so far
 */
export async function rotateEncryption(
  services: Services,
  onBatch: (rotated: number) => void = () => undefined,
): Promise<Rotation> {
  const { sql, encryption } = services
  const unreadable: Unreadable[] = []
  let rotated = 0
  for (const table of TABLES) {
    for (let after = ''; ; ) {
      const rows = await sql<Row[]>`
        select id, ciphertext, encryption_key_id from ${sql(table)}
        where encryption_key_id <> ${encryption.newest} and ciphertext is not null and id > ${after}
        order by id limit ${ROWS_PER_BATCH}`
      const last = rows.at(-1)
      if (!last) break
      rotated += await rotateBatch(services, table, rows, unreadable)
      onBatch(rotated)
      after = last.id
    }
  }
  const awaited = await sql<Rotation['awaited']>`
    select t.server_key_id as "keyId", count(*)::int as waits
    from attempts a join callback_tokens t on t.attempt_id = a.id
    where a.state in ('running', 'waiting') and t.server_key_id <> ${encryption.newest} group by 1 order by 1`
  return { keyId: encryption.newest, rotated, unreadable, awaited: [...awaited] }
}

/** @returns how many were written; a secret that someone changed meanwhile is left to them */
async function rotateBatch(
  services: Services,
  table: Unreadable['table'],
  rows: Row[],
  unreadable: Unreadable[],
): Promise<number> {
  const { sql, encryption } = services
  const fresh = rows.flatMap(row => {
    try {
      const plain = encryption.decrypt(row.ciphertext, row.encryption_key_id, row.id)
      const { ciphertext, keyId } = encryption.encrypt(plain, row.id)
      return [
        { id: row.id, before: row.encryption_key_id, after: keyId, text: ciphertext.toString('base64') },
      ]
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      unreadable.push({ table, id: row.id, keyId: row.encryption_key_id, reason })
      return []
    }
  })
  if (fresh.length === 0) return 0
  const { count } = await sql`
    update ${sql(table)} s set ciphertext = decode(n.text, 'base64'), encryption_key_id = n.after
    from unnest(${fresh.map(f => f.id)}::text[], ${fresh.map(f => f.before)}::text[],
      ${fresh.map(f => f.after)}::text[], ${fresh.map(f => f.text)}::text[]) as n(id, before, after, text)
    where s.id = n.id and s.encryption_key_id = n.before`
  return count
}
