import type { Services } from '../context.ts'

const MINUTE_MS = 60_000

/**
 * Writes down that a key was used, at most once a minute, behind the call's back: nobody waits for it.
 * A write that fails is not missed, since the key's next use finds it as old as before and writes again.
 */
export function noteUse(
  services: Services,
  key: { id: string; organization_id: string; last_used_at: Date | null },
  now: Date,
): void {
  const minuteAgo = new Date(now.getTime() - MINUTE_MS)
  if (key.last_used_at && key.last_used_at > minuteAgo) return
  services.sql`
    update api_keys set last_used_at = ${now}
    where organization_id = ${key.organization_id} and id = ${key.id}
      and (last_used_at is null or last_used_at <= ${minuteAgo})`.catch(() => undefined)
}
