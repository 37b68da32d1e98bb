import type { Services } from '../context.ts'

/** Which of these attempts are no longer open: cancelled, or taken over by a rescuer. Their calls are to be cut off. */
export async function takenAttempts(services: Services, attemptIds: string[]): Promise<string[]> {
  const rows = await services.sql<{ id: string }[]>`
    select id from unnest(${attemptIds}::text[]) as asked(id)
    where not exists (select from attempts a where a.id = asked.id and a.state = 'running')`
  return rows.map(row => row.id)
}
