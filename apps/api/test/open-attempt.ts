import { callbackToken, freshId, type ProjectContext } from '@workly/services'

/** Puts a run in the state in which its attempt waits for a callback. @returns the attempt's id and its token */
export async function openAttempt(ctx: ProjectContext, run: string): Promise<{ id: string; token: string }> {
  const { sql, encryption } = ctx.services
  const id = freshId('attempt', new Date())
  const { hash, keyId, token } = callbackToken(encryption, id)
  await sql`
    insert into attempts (id, organization_id, run_id, number, state, fence, started_at, callback_deadline)
    values (${id}, ${ctx.organizationId}, ${run}, 1, 'waiting', 1, now(), now() + interval '10 minutes')`
  await sql`
    insert into callback_tokens (attempt_id, organization_id, token_hash, server_key_id, created_at)
    values (${id}, ${ctx.organizationId}, ${hash}, ${keyId}, now())`
  await sql`
    update runs set state = 'running', current_attempt_id = ${id}, attempts_made = 1, slot_host = null,
      admitted_at = null, due_at = null, started_at = now() where id = ${run}`
  return { id, token }
}
