import type { FieldIssue } from '@workly/core'
import type { TransactionSql } from '@workly/db'
import { type Context, freshId } from '../context.ts'
import type { LimitDefaults } from '../limits.ts'
import { checkContainerSize } from './read-image.ts'
import type { DraftRequest } from './read-pipeline.ts'
import { type DraftHttpRequest, type DraftValues, isMask } from './read-request.ts'
import type { DraftTarget } from './read-target.ts'
import {
  isStoredSecret,
  type StoredHttpRequest,
  type StoredRequest,
  type StoredSecret,
  type StoredTarget,
  secretIdsOf,
  stepOf,
} from './stored-request.ts'

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
  const ids = secretIdsOf(stored)
  if (ids.length === 0) return new Map()
  const rows = await sql<SecretRow[]>`
    select id, ciphertext, encryption_key_id from secret_values
    where id = any(${ids}) and organization_id = ${ctx.organizationId}`
  return new Map(
    rows.map(row => [row.id, ctx.services.encryption.decrypt(row.ciphertext, row.encryption_key_id, row.id)]),
  )
}

/** What turns secrets into references needs to know, and what it finds. */
interface References {
  /** Stored values by their id. */
  known: ReadonlyMap<string, string>
  added: NewSecret[]
  issues: FieldIssue[]
  limits: LimitDefaults
  now: Date
}

/** A request with references for its secrets, and the secrets to be stored. */
interface Referred<Draft extends DraftRequest = DraftRequest> {
  request: Draft extends DraftHttpRequest ? StoredHttpRequest : StoredRequest
  added: NewSecret[]
}

/**
 * Turns the secrets of a request into references. A mask keeps the stored value of the same header or variable of the
 * same step, only while the URL's origin or the image's name is unchanged, else a secret could be sent elsewhere and read
 * out (spec section 8); a value equal to the stored one keeps it too, so that an identical PUT changes nothing. A mask that
 * stands for nothing is added to `issues`, and so is a container that is given more than the limit allows, stored values
 * included.
 */
export async function referToSecrets<Draft extends DraftRequest>(
  sql: TransactionSql,
  ctx: Context,
  draft: Draft,
  stored: StoredRequest | undefined,
  limits: LimitDefaults,
  now: Date,
  issues: FieldIssue[],
): Promise<Referred<Draft>>
export async function referToSecrets(
  sql: TransactionSql,
  ctx: Context,
  draft: DraftRequest,
  stored: StoredRequest | undefined,
  limits: LimitDefaults,
  now: Date,
  issues: FieldIssue[],
): Promise<Referred> {
  const known = stored ? await decryptStored(sql, ctx, stored) : new Map<string, string>()
  const references: References = { known, added: [], issues, limits, now }
  const { added } = references
  if (draft.kind !== 'pipeline') {
    const before = stored?.kind === 'pipeline' ? undefined : stored
    return { request: referTarget(references, draft, before, ''), added }
  }
  const steps = draft.steps.map((step, i) => ({
    ...referTarget(references, step, stepOf(stored, step.id), `steps[${i}].`),
    id: step.id,
    ...(step.retry && { retry: step.retry }),
  }))
  return { request: { kind: 'pipeline', steps }, added }
}

/** A request or an image, beside what is stored in its place. */
function referTarget(
  references: References,
  draft: DraftTarget,
  stored: StoredTarget | undefined,
  place: string,
): StoredTarget {
  if (draft.kind === 'image') {
    const before = stored?.kind === 'image' ? stored : undefined
    const earlier: Earlier = {
      values: new Map(Object.entries(before?.env ?? {})),
      keyOf: name => name,
      isSame: before?.name === draft.name,
      sameness: 'the name of the image',
    }
    const env = refer(references, draft.env, earlier, `${place}image.env`)
    checkContainerSize(draft, storedValues(references, env), references.limits, place, references.issues)
    return { ...draft, env }
  }
  const before = stored?.kind === 'http' ? stored : undefined
  const keyOf = (name: string) => name.toLowerCase()
  const earlier: Earlier = {
    values: new Map(Object.entries(before?.headers ?? {}).map(([name, value]) => [keyOf(name), value])),
    keyOf,
    isSame: before !== undefined && originOf(before.url) === originOf(draft.url),
    sameness: 'the origin of the URL',
  }
  return { ...draft, headers: refer(references, draft.headers, earlier, `${place}headers`) }
}

/** The stored values that masks may stand for. */
interface Earlier {
  values: ReadonlyMap<string, string | StoredSecret>
  /** How a name is looked up in `values`. */
  keyOf: (name: string) => string
  /** Whether what they would go to is what they were stored for. */
  isSame: boolean
  /** What that is judged by. */
  sameness: string
}

/** Headers, or an environment. */
function refer(
  { known, added, issues, now }: References,
  draft: DraftValues,
  earlier: Earlier,
  place: string,
): Record<string, string | StoredSecret> {
  const values: Record<string, string | StoredSecret> = {}
  for (const [name, value] of Object.entries(draft)) {
    if (typeof value === 'string') {
      values[name] = value
      continue
    }
    const before = earlier.values.get(earlier.keyOf(name))
    const kept = before !== undefined && isStoredSecret(before) ? before : undefined
    if (isMask(value.secret)) {
      if (kept && earlier.isSame) values[name] = kept
      else issues.push({ field: `${place}.${name}`, message: maskProblem(kept && earlier.sameness) })
    } else if (kept && known.get(kept.secret_value) === value.secret) {
      values[name] = kept
    } else {
      const id = freshId('secretValue', now)
      added.push({ id, value: value.secret })
      values[name] = { secret_value: id }
    }
  }
  return values
}

/** Those of the values that were stored before. */
function storedValues(
  { known }: References,
  values: Record<string, string | StoredSecret>,
): Record<string, string> {
  const entries = Object.entries(values).map(([name, value]) => [
    name,
    isStoredSecret(value) ? (known.get(value.secret_value) ?? '') : '',
  ])
  return Object.fromEntries(entries)
}

/** Null for a URL that cannot be read, which is refused by itself. */
function originOf(url: string): string | null {
  return URL.parse(url)?.origin ?? null
}

/** @param sameness what has changed; undefined where nothing is stored */
function maskProblem(sameness: string | undefined): string {
  return sameness
    ? `The stored secret is kept only while ${sameness} stays the same; send its value again.`
    : 'No secret is stored under this name; send its value.'
}

export async function storeSecrets(
  sql: TransactionSql,
  ctx: Context,
  jobId: string,
  added: NewSecret[],
  now: Date,
): Promise<void> {
  if (added.length === 0) return
  const rows = added.map(({ id, value }) => ({ id, ...ctx.services.encryption.encrypt(value, id) }))
  await sql`
    insert into secret_values (id, organization_id, job_id, ciphertext, encryption_key_id, created_at)
    select id, ${ctx.organizationId}, ${jobId}, decode(ciphertext, 'hex'), key_id, ${now}::timestamptz
    from unnest(${rows.map(row => row.id)}::text[], ${rows.map(row => row.ciphertext.toString('hex'))}::text[],
      ${rows.map(row => row.keyId)}::text[]) as s(id, ciphertext, key_id)`
}
