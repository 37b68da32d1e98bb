import type { FieldIssue } from '@workly/core'
import type { TransactionSql } from '@workly/db'
import { type Context, freshId } from '../context.ts'
import { type DraftRequest, isMask } from './read-request.ts'
import { isStoredSecret, type StoredRequest } from './stored-request.ts'

interface SecretRow {
  id: string
  ciphertext: Uint8Array
  encryption_key_id: string
}

/** A secret to be stored once the job's row is there. */
export interface NewSecret {
  id: string
  value: string
}

async function decryptStored(
  sql: TransactionSql,
  ctx: Context,
  stored: StoredRequest,
): Promise<Map<string, string>> {
  const entries = Object.entries(stored.headers).filter(([, value]) => isStoredSecret(value))
  const ids = entries.map(([, value]) => (isStoredSecret(value) ? value.secret_value : ''))
  if (ids.length === 0) return new Map()
  const rows = await sql<SecretRow[]>`
    select id, ciphertext, encryption_key_id from secret_values
    where id = any(${ids}) and organization_id = ${ctx.organizationId}`
  return new Map(
    rows.map(row => [row.id, ctx.services.encryption.decrypt(row.ciphertext, row.encryption_key_id, row.id)]),
  )
}

/**
 * Turns the secrets of a request into references. A mask keeps the stored value of the same header, only while the
 * URL's origin is unchanged, else a secret could be sent elsewhere and read out (spec section 8); a value equal to the
 * stored one keeps it too, so that an identical PUT changes nothing. A mask that stands for nothing is added to
 * `issues`.
 */
export async function referToSecrets(
  sql: TransactionSql,
  ctx: Context,
  draft: DraftRequest,
  stored: StoredRequest | undefined,
  now: Date,
  issues: FieldIssue[],
): Promise<{ request: StoredRequest; added: NewSecret[] }> {
  const known = stored ? await decryptStored(sql, ctx, stored) : new Map<string, string>()
  const byName = new Map(
    Object.entries(stored?.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  )
  const sameOrigin = stored !== undefined && originOf(stored.url) === originOf(draft.url)
  const added: NewSecret[] = []
  const headers: StoredRequest['headers'] = {}
  for (const [name, value] of Object.entries(draft.headers)) {
    if (typeof value === 'string') {
      headers[name] = value
      continue
    }
    const before = byName.get(name.toLowerCase())
    const kept = before !== undefined && isStoredSecret(before) ? before : undefined
    if (isMask(value.secret)) {
      if (kept && sameOrigin) headers[name] = kept
      else issues.push({ field: `headers.${name}`, message: maskProblem(kept !== undefined) })
    } else if (kept && known.get(kept.secret_value) === value.secret) {
      headers[name] = kept
    } else {
      const id = freshId('secretValue', now)
      added.push({ id, value: value.secret })
      headers[name] = { secret_value: id }
    }
  }
  return { request: { ...draft, headers }, added }
}

/** Null for a URL that cannot be read, which is refused by itself. */
function originOf(url: string): string | null {
  return URL.parse(url)?.origin ?? null
}

function maskProblem(isStored: boolean): string {
  return isStored
    ? 'The stored secret is kept only while the origin of the URL stays the same; send its value again.'
    : 'No secret is stored under this name; send its value.'
}

export async function storeSecrets(
  sql: TransactionSql,
  ctx: Context,
  jobId: string,
  added: NewSecret[],
  now: Date,
): Promise<void> {
  for (const secret of added) {
    const { ciphertext, keyId } = ctx.services.encryption.encrypt(secret.value, secret.id)
    await sql`
      insert into secret_values (id, organization_id, job_id, ciphertext, encryption_key_id, created_at)
      values (${secret.id}, ${ctx.organizationId}, ${jobId}, ${ciphertext}, ${keyId}, ${now})`
  }
}
