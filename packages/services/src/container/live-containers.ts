import type { Services } from '../context.ts'

/**
 * Of these attempts those whose container is expected to be there. A handle is committed before its container is made: so
 * a container that was seen before this is asked, and whose attempt is not among the answer, has leaked.
 */
export async function attemptsWithContainers(services: Services, attemptIds: string[]): Promise<Set<string>> {
  const rows = await services.sql<{ attempt_id: string }[]>`
    select attempt_id from container_handles where attempt_id = any(${attemptIds}) and gone_at is null`
  return new Set(rows.map(row => row.attempt_id))
}
