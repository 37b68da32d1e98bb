import { type KeptReply, withIdempotencyKey, withKeyFromBefore } from '@workly/services'
import type { Operation, PartedReply, RawCall, Reply } from './operation.ts'
import { readJson } from './read-json.ts'

/** A reply in the form in which it can be kept. */
export function keptReply(reply: Reply | PartedReply): KeptReply {
  if ('parts' in reply) throw new Error('an answer in parts is not kept')
  if (reply.status === 204) return { status: 204, headers: reply.headers ?? {}, body: null }
  const headers = { 'Content-Type': 'application/json', ...reply.headers }
  return { status: reply.status, headers, body: JSON.stringify(reply.body) }
}

/**
 * Answers a POST that carries an `Idempotency-Key` (spec section 8): done once, answered the same for 24 hours. An
 * answer given again says so in `Idempotent-Replayed`.
 * @param explain the answer to an error that is to be kept; null for others
 * @throws WorklyError
 */
export async function answerOnce(
  op: Operation,
  call: RawCall,
  key: string,
  body: Uint8Array,
  explain: (error: unknown) => KeptReply | null,
): Promise<KeptReply> {
  const keep = op.keyFromBefore ? withKeyFromBefore : withIdempotencyKey
  const json = async () => (body.byteLength === 0 ? undefined : readJson(body))
  const { reply, replayed } = await keep(
    call.ctx,
    { key, method: 'POST', path: call.path, body },
    async ctx => keptReply(await op.answer({ ...call, ctx, json })),
    explain,
  )
  return replayed ? { ...reply, headers: { ...reply.headers, 'Idempotent-Replayed': 'true' } } : reply
}
