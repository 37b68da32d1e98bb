import { WorklyError } from '@workly/core'
import type { ProjectContext, Scope, Services } from '../context.ts'
import { wireInstant } from '../wire-instant.ts'
import { matchesSecret, readKeyText } from './key-text.ts'
import { KEPT_MS, type KeyOwner, readKnownKey, startKeeping } from './known-keys.ts'
import { noteUse } from './note-use.ts'

interface KeyRow {
  id: string
  organization_id: string
  project_id: string
  name: string
  scope: Scope
  secret_hash: Buffer
  expires_at: Date | null
  last_used_at: Date | null
  revoked_at: Date | null
  /** Its project or organization is deleted. */
  gone: boolean
  now: Date
}

/**
 * The context of a call with an API key (spec section 8).
 *
 * A key that was right is taken for up to a second without asking again: a busy one costs no query per call, and a
 * revoked one is out within that second. What was wrong is not kept: an unknown id and a wrong secret each cost a query
 * and a comparison, so how long the answer takes tells nothing.
 * @param bearer what stands behind `Bearer ` in the `Authorization` header
 * @throws WorklyError `unauthorized`; only to who has the right secret does it say that the key was revoked or expired
 */
export async function authenticateApiKey(
  services: Services,
  bearer: string,
  requestId: string | null,
): Promise<ProjectContext> {
  const owner = readKnownKey(services, bearer) ?? (await checkKey(services, bearer))
  return { services, ...owner, requestId }
}

async function checkKey(services: Services, bearer: string): Promise<KeyOwner> {
  const keeping = startKeeping(services, bearer)
  try {
    const { owner, lasts } = await findOwner(services, bearer)
    if (lasts) keeping.keep(owner)
    else keeping.drop()
    return owner
  } catch (error) {
    keeping.drop()
    throw error
  }
}

async function findOwner(services: Services, bearer: string): Promise<{ owner: KeyOwner; lasts: boolean }> {
  const parts = readKeyText(bearer)
  if (!parts) throw new WorklyError('unauthorized', 'The API key is not valid.')
  const row = await readKeyRow(services, parts.id)
  if (!matchesSecret(parts.secret, row?.secret_hash) || !row) {
    throw new WorklyError('unauthorized', 'The API key is not valid.')
  }
  const now = services.clock?.() ?? row.now
  if (row.revoked_at || row.gone) throw new WorklyError('unauthorized', 'The API key was revoked.')
  if (row.expires_at && row.expires_at <= now) {
    throw new WorklyError('unauthorized', `The API key expired at ${wireInstant(row.expires_at)}.`)
  }
  noteUse(services, row, now)
  const owner: KeyOwner = {
    organizationId: row.organization_id,
    projectId: row.project_id,
    actor: { kind: 'apiKey', id: row.id, name: row.name, scope: row.scope },
  }
  // One that expires within the second is asked for each time.
  return { owner, lasts: !row.expires_at || row.expires_at.getTime() - now.getTime() > KEPT_MS }
}

/** The one query that no tenant scopes: the key itself says which tenant it is. */
async function readKeyRow(services: Services, id: string): Promise<KeyRow | undefined> {
  const [row] = await services.sql<KeyRow[]>`
    select k.id, k.organization_id, k.project_id, k.name, k.scope, k.secret_hash, k.expires_at, k.last_used_at,
      k.revoked_at, p.deleted_at is not null or o.deleted_at is not null as gone, clock_timestamp() as now
    from api_keys k
    join projects p on p.organization_id = k.organization_id and p.id = k.project_id
    join organizations o on o.id = k.organization_id
    where k.id = ${id}`
  return row
}
