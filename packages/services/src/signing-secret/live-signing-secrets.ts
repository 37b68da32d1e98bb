import type { Sql, TransactionSql } from '@workly/db'
import type { Services } from '../context.ts'

/** How long a worker signs with what it has read: so late does it learn of a new or ended secret. */
const KEPT_MS = 3_000

interface LiveSecret {
  secret: string
  expiresAt: number
}

interface Kept {
  readAt: number
  secrets: LiveSecret[]
}

/** By services, so that two databases in one process never mix. */
const kept = new WeakMap<Services, Map<string, Kept>>()

interface Row {
  project_id: string
  id: string
  ciphertext: Buffer
  encryption_key_id: string
  expires_at: Date | null
}

/**
 * The secrets that sign a project's calls at `now`, newest first, by project: for the worker, which has its projects
 * from rows it holds and acts for no tenant. Kept for 3 s.
 *
 * A secret that cannot be read (its encryption key is gone from `WORKLY_ENCRYPTION_KEYS`) is left out and told to
 * `onUnreadable`, so that one does not keep the calls of all others back.
 * @returns an entry for each project asked for; empty where it has no live secret
 */
export async function liveSigningSecrets(
  services: Services,
  sql: Sql | TransactionSql,
  projectIds: readonly string[],
  now: Date,
  onUnreadable: (secretId: string, error: unknown) => void = () => undefined,
): Promise<Map<string, string[]>> {
  const cache = kept.get(services) ?? new Map<string, Kept>()
  kept.set(services, cache)
  const at = now.getTime()
  // A clock that went back makes an entry seem to come from the future: read it anew.
  const isFresh = (entry: Kept | undefined) => entry !== undefined && Math.abs(at - entry.readAt) < KEPT_MS
  for (const [id, entry] of cache) if (!isFresh(entry)) cache.delete(id)
  // Taken out of the cache before anything is awaited: another call may clear it meanwhile.
  const entries = new Map(projectIds.map(id => [id, cache.get(id)]))
  const missing = [...entries].filter(([, entry]) => entry === undefined).map(([id]) => id)
  if (missing.length > 0) {
    const read = await readSecrets(services, sql, missing, now, onUnreadable)
    for (const id of missing) {
      const entry = { readAt: at, secrets: read.get(id) ?? [] }
      entries.set(id, entry)
      cache.set(id, entry)
    }
  }
  return new Map([...entries].map(([id, entry]) => [id, liveAt(entry?.secrets ?? [], at)]))
}

function liveAt(secrets: LiveSecret[], at: number): string[] {
  return secrets.filter(s => s.expiresAt > at).map(s => s.secret)
}

async function readSecrets(
  services: Services,
  sql: Sql | TransactionSql,
  projectIds: string[],
  now: Date,
  onUnreadable: (secretId: string, error: unknown) => void,
): Promise<Map<string, LiveSecret[]>> {
  const rows = await sql<Row[]>`
    select s.project_id, s.id, s.ciphertext, s.encryption_key_id, s.expires_at
    from projects p
    join signing_secrets s on s.organization_id = p.organization_id and s.project_id = p.id
    where p.id = any(${projectIds}) and (s.expires_at is null or s.expires_at > ${now})
    order by s.created_at desc, s.id desc`
  const found = new Map<string, LiveSecret[]>()
  for (const row of rows) {
    try {
      const secret = services.encryption.decrypt(row.ciphertext, row.encryption_key_id, row.id)
      const list = found.get(row.project_id) ?? []
      list.push({ secret, expiresAt: row.expires_at?.getTime() ?? Number.POSITIVE_INFINITY })
      found.set(row.project_id, list)
    } catch (error) {
      onUnreadable(row.id, error)
    }
  }
  return found
}
