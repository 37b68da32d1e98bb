import { INSTANT_FORM, invalid, parseInstant, readWire, wireText } from '@workly/core'
import type { TransactionSql } from '@workly/db'
import { z } from 'zod'
import { audit } from '../audit.ts'
import { authorize } from '../authorize.ts'
import { type ProjectContext, readClock, SCOPES, type Scope } from '../context.ts'
import { displayName } from '../display-name.ts'
import { lockProject, projectScope } from '../tenant-scope.ts'
import { hashSecret, newApiKeyText, readKeyText } from './key-text.ts'
import { type ApiKey, type ApiKeyRow, SHOWN_COLUMNS, shownKey } from './shown-key.ts'

export const apiKeyCreate = z.strictObject({
  name: displayName,
  scope: z.enum(SCOPES, `one of ${SCOPES.join(', ')}`),
  /** An instant with an offset (RFC 3339); null or absent: it never expires. */
  expires_at: wireText(64).nullish(),
})

export interface NewApiKey {
  api_key: ApiKey
  /** The key itself, shown now and never again. */
  key: string
}

/**
 * Makes an API key of the project (spec section 8).
 * @throws WorklyError `forbidden` below admin; `invalid_request`; `not_found` for a project of another tenant
 */
export async function createApiKey(
  ctx: ProjectContext,
  input: z.input<typeof apiKeyCreate>,
): Promise<NewApiKey> {
  authorize(ctx, 'admin')
  const { name, scope, expires_at } = readWire(apiKeyCreate, input)
  const expiresAt = typeof expires_at === 'string' ? readExpiry(expires_at) : null
  const { services } = ctx
  return services.sql.begin(async sql => {
    await lockProject(sql, ctx)
    const now = await readClock(services, sql)
    if (expiresAt && expiresAt <= now) {
      throw invalid([{ field: 'expires_at', message: 'is past; give an instant in the future.' }])
    }
    const key = newApiKeyText(now)
    const made = await insertApiKey(sql, ctx, now, key, { name, scope, expiresAt })
    if (!made) throw new Error('a new API key has an id that exists')
    return { api_key: made, key }
  })
}

function readExpiry(text: string): Date {
  const ms = parseInstant(text)
  if (ms === null) throw invalid([{ field: 'expires_at', message: INSTANT_FORM }])
  return new Date(ms)
}

/** Stores the hash of a key's text and audits it; undefined where its id exists. */
export async function insertApiKey(
  sql: TransactionSql,
  ctx: ProjectContext,
  now: Date,
  text: string,
  settings: { name: string; scope: Scope; expiresAt: Date | null },
): Promise<ApiKey | undefined> {
  const parts = readKeyText(text)
  if (!parts) throw invalid([{ field: 'api_key', message: 'is no API key of Workly.' }])
  const [row] = await sql<ApiKeyRow[]>`
    insert into api_keys ${sql({
      ...projectScope(ctx),
      id: parts.id,
      name: settings.name,
      secret_hash: hashSecret(parts.secret),
      hint: text.slice(-4),
      scope: settings.scope,
      created_by: ctx.actor.kind === 'user' ? ctx.actor.id : null,
      created_at: now,
      expires_at: settings.expiresAt,
    })}
    on conflict (id) do nothing returning ${sql(SHOWN_COLUMNS)}`
  if (!row) return undefined
  const shown = shownKey(row)
  await audit(sql, ctx, now, {
    action: 'api_key.create',
    subject: { kind: 'api_key', id: shown.id, name: shown.name },
    projectId: ctx.projectId,
    after: { name: shown.name, scope: shown.scope, expires_at: shown.expires_at },
  })
  return shown
}
