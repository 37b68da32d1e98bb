import type { Scope } from '../context.ts'
import { wireInstant, wireInstantOrNull } from '../wire-instant.ts'

/** An API key without its secret. */
export interface ApiKey {
  id: string
  name: string
  scope: Scope
  /** The last four characters of its text, to tell keys apart. */
  hint: string
  /** The user who made it; null for one made by the system. */
  created_by: string | null
  created_at: string
  expires_at: string | null
  last_used_at: string | null
  revoked_at: string | null
}

export interface ApiKeyRow {
  id: string
  name: string
  scope: string
  hint: string
  created_by: string | null
  created_at: Date
  expires_at: Date | null
  last_used_at: Date | null
  revoked_at: Date | null
}

/** Columns that may be shown: all but the hash. */
export const SHOWN_COLUMNS = [
  'id',
  'name',
  'scope',
  'hint',
  'created_by',
  'created_at',
  'expires_at',
  'last_used_at',
  'revoked_at',
] as const

export function shownKey(row: ApiKeyRow): ApiKey {
  return {
    ...row,
    // The database's check allows no other.
    scope: row.scope as Scope,
    created_at: wireInstant(row.created_at),
    expires_at: wireInstantOrNull(row.expires_at),
    last_used_at: wireInstantOrNull(row.last_used_at),
    revoked_at: wireInstantOrNull(row.revoked_at),
  }
}
