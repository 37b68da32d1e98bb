import type { ShownAuditEntry } from '#trpc/router.ts'

const KINDS = { user: '', apiKey: 'API key ', system: 'Workly, ' }

/** Whom a change is by, in words. A call that the embedded default takes without a key is by no API key. */
export function actorName({ kind, id, name }: ShownAuditEntry['actor']): string {
  return id === 'demo_door' ? name : `${KINDS[kind]}${name}`
}
