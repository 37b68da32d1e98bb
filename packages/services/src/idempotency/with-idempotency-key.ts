import { createHash } from 'node:crypto'
import { invalid, WorklyError } from '@workly/core'
import type { TransactionSql } from '@workly/db'
import { type ProjectContext, readClock } from '../context.ts'
import { withinTransaction } from './within-transaction.ts'

/** How long a key is remembered (spec section 8). */
export const KEY_KEPT_MS = 24 * 3_600_000

/** A request that keeps its key from before its effect ends well within this; without a result then, it died. */
const ABANDONED_AFTER_MS = 60_000

/** An answer in the form in which it is kept and given again. */
export interface KeptReply {
  status: number
  headers: Record<string, string>
  /** The body's text; null for none. */
  body: string | null
}

/** A request that carries an `Idempotency-Key`. Its scope is the project, the method and the path. */
export interface KeyedRequest {
  key: string
  method: string
  path: string
  body: Uint8Array
}

interface KeyRow {
  body_hash: Uint8Array
  created_at: Date
  response_status: number | null
  response_headers: Record<string, string>
  response_body: string | null
}

function checkKey(key: string): void {
  if (key.length < 1 || key.length > 255 || !/^[\x21-\x7e]+$/.test(key)) {
    throw invalid([
      { field: 'Idempotency-Key', message: '1 to 255 visible ASCII characters, such as a UUID' },
    ])
  }
}

/** One request at a time per key. The lock ends with its transaction, so a process that dies leaves the key free. */
async function lockKey(sql: TransactionSql, ctx: ProjectContext, request: KeyedRequest): Promise<void> {
  const text = JSON.stringify([ctx.projectId, request.method, request.path, request.key])
  const [row] = await sql<
    { got: boolean }[]
  >`select pg_try_advisory_xact_lock(hashtextextended(${text}, 0)) as got`
  if (!row?.got) {
    throw inProgress()
  }
}

async function findReply(
  sql: TransactionSql,
  ctx: ProjectContext,
  request: KeyedRequest,
  hash: Uint8Array,
  now: Date,
): Promise<KeptReply | null> {
  const [row] = await sql<KeyRow[]>`
    select body_hash, created_at, response_status, response_headers, response_body from idempotency_keys
    where project_id = ${ctx.projectId} and organization_id = ${ctx.organizationId} and method = ${request.method}
      and path = ${request.path} and key = ${request.key}`
  if (!row || row.created_at.getTime() <= now.getTime() - KEY_KEPT_MS) return null
  if (!Buffer.from(hash).equals(Buffer.from(row.body_hash))) {
    throw new WorklyError(
      'idempotency_mismatch',
      'This Idempotency-Key was sent with another body within 24 hours.',
    )
  }
  if (row.response_status === null) throw withoutResult(row.created_at, now)
  return { status: row.response_status, headers: row.response_headers, body: row.response_body }
}

/** A key kept from before its effect: its process is at it, or has gone in the middle. */
function withoutResult(since: Date, now: Date): WorklyError {
  if (now.getTime() - since.getTime() < ABANDONED_AFTER_MS) return inProgress()
  const detail =
    'The process died during the first request with this Idempotency-Key: it may or may not have been done.'
  return new WorklyError('outcome_unknown', detail)
}

function inProgress(): WorklyError {
  return new WorklyError(
    'idempotency_in_progress',
    'The first request with this Idempotency-Key is still going; try again.',
  )
}

async function keepReply(
  sql: TransactionSql,
  ctx: ProjectContext,
  request: KeyedRequest,
  hash: Uint8Array,
  reply: KeptReply | null,
  now: Date,
): Promise<void> {
  await sql`
    insert into idempotency_keys (organization_id, project_id, method, path, key, body_hash, created_at,
      response_status, response_headers, response_body)
    values (${ctx.organizationId}, ${ctx.projectId}, ${request.method}, ${request.path}, ${request.key}, ${hash}, ${now},
      ${reply?.status ?? null}, ${sql.json(reply?.headers ?? {})}, ${reply?.body ?? null})
    on conflict (project_id, method, path, key) do update set body_hash = excluded.body_hash,
      created_at = excluded.created_at, response_status = excluded.response_status,
      response_headers = excluded.response_headers, response_body = excluded.response_body`
}

/**
 * Does a request once per key (spec section 8): the effect and its answer commit together, and whoever sends the key
 * again within 24 hours is given that answer. Answers of 5xx and 429 are not kept, those of other errors are.
 * @param work does it with the context it is given, whose database is the transaction
 * @param explain the answer for an error, or null where it is not to be kept
 * @throws WorklyError `idempotency_mismatch` for another body, `idempotency_in_progress`, and what is not kept
 */
export async function withIdempotencyKey(
  ctx: ProjectContext,
  request: KeyedRequest,
  work: (ctx: ProjectContext) => Promise<KeptReply>,
  explain: (error: unknown) => KeptReply | null,
): Promise<{ reply: KeptReply; replayed: boolean }> {
  checkKey(request.key)
  const hash = createHash('sha256').update(request.body).digest()
  const once = (act: (sql: TransactionSql) => Promise<KeptReply>) =>
    ctx.services.sql.begin(async sql => {
      await lockKey(sql, ctx, request)
      const now = await readClock(ctx.services, sql)
      const kept = await findReply(sql, ctx, request, hash, now)
      if (kept) return { reply: kept, replayed: true }
      const reply = await act(sql)
      await keepReply(sql, ctx, request, hash, reply, now)
      return { reply, replayed: false }
    })
  let failure: unknown
  try {
    return await once(async sql => {
      try {
        return await work(withinTransaction(ctx, sql))
      } catch (error) {
        failure = error
        throw error
      }
    })
  } catch (error) {
    // The effect is undone; what is kept of a refused request is its answer alone.
    const reply = failure === error ? explain(error) : null
    if (!reply) throw error
    return once(async () => reply)
  }
}

/**
 * As {@link withIdempotencyKey}, for an effect that no transaction can hold, such as a call to a target: the key is kept
 * from before it, so that after a crash nobody does it again without knowing.
 * @throws WorklyError also `outcome_unknown`, when the process of the first request died in the middle
 */
export async function withKeyFromBefore(
  ctx: ProjectContext,
  request: KeyedRequest,
  work: (ctx: ProjectContext) => Promise<KeptReply>,
  explain: (error: unknown) => KeptReply | null,
): Promise<{ reply: KeptReply; replayed: boolean }> {
  checkKey(request.key)
  const hash = createHash('sha256').update(request.body).digest()
  const { sql } = ctx.services
  const kept = await sql.begin(async tx => {
    await lockKey(tx, ctx, request)
    const now = await readClock(ctx.services, tx)
    const found = await findReply(tx, ctx, request, hash, now)
    if (!found) await keepReply(tx, ctx, request, hash, null, now)
    return found
  })
  if (kept) return { reply: kept, replayed: true }
  const finish = (reply: KeptReply) =>
    sql.begin(async tx => keepReply(tx, ctx, request, hash, reply, await readClock(ctx.services, tx)))
  try {
    const reply = await work(ctx)
    await finish(reply)
    return { reply, replayed: false }
  } catch (error) {
    const reply = explain(error)
    if (reply) {
      await finish(reply)
      return { reply, replayed: false }
    }
    await sql`
      delete from idempotency_keys where project_id = ${ctx.projectId} and organization_id = ${ctx.organizationId}
        and method = ${request.method} and path = ${request.path} and key = ${request.key}`
    throw error
  }
}
