import { randomBytes } from 'node:crypto'
import { newSigningSecret } from '@workly/core'
import type { TransactionSql } from '@workly/db'
import { freshId, type ProjectContext } from '../context.ts'
import { inProject, projectScope } from '../tenant-scope.ts'
import { wireInstant, wireInstantOrNull } from '../wire-instant.ts'

/** A signing secret without the secret itself. */
export interface SigningSecret {
  id: string
  created_at: string
  /** When it stops to sign; null: it goes on. */
  expires_at: string | null
  live: boolean
}

/** The one answer that holds the secret. */
export interface NewSigningSecret {
  signing_secret: SigningSecret
  /** `whsec_…`, shown now and never again. */
  secret: string
}

export interface SigningSecretRow {
  id: string
  created_at: Date
  expires_at: Date | null
}

export function shownSecret(row: SigningSecretRow, now: Date): SigningSecret {
  return {
    id: row.id,
    created_at: wireInstant(row.created_at),
    expires_at: wireInstantOrNull(row.expires_at),
    live: row.expires_at === null || row.expires_at > now,
  }
}

/**
 * Makes a project's newest secret, encrypted and bound to its row's id. The caller holds the project's row, so of two
 * at once each is newer than the one before, even within a millisecond: the order decides which signature stands first.
 */
export async function insertSigningSecret(
  sql: TransactionSql,
  ctx: ProjectContext,
  now: Date,
): Promise<NewSigningSecret> {
  const [newest] = await sql<{ at: Date | null }[]>`
    select max(created_at) as at from signing_secrets where ${inProject(sql, ctx)}`
  const at = new Date(Math.max(now.getTime(), (newest?.at?.getTime() ?? 0) + 1))
  const secret = newSigningSecret(randomBytes)
  const row: SigningSecretRow = { id: freshId('signingSecret', at), created_at: at, expires_at: null }
  const { ciphertext, keyId } = ctx.services.encryption.encrypt(secret, row.id)
  await sql`
    insert into signing_secrets ${sql({ ...row, ...projectScope(ctx), ciphertext, encryption_key_id: keyId })}`
  return { signing_secret: shownSecret(row, now), secret }
}
