import { hash } from 'node:crypto'
import type { Actor, Services } from '../context.ts'

/** Whom a key lets in, and where. */
export interface KeyOwner {
  organizationId: string
  projectId: string
  actor: Extract<Actor, { kind: 'apiKey' }>
}

/** The longest that a key is taken without asking the database: so late is a revoked one refused. */
export const KEPT_MS = 1_000

interface Known {
  owner: KeyOwner
  /** On the process's own clock, which goes on while the process is stopped and its timers are late. */
  untilMs: number
}

/** By services, so that two databases in one process never mix; by the text's hash, so that no key stays in memory. */
const known = new WeakMap<Services, Map<string, Known>>()

/** How far this very process has come; nothing that is stored or due is reckoned by it. */
function processClockMs(): number {
  // biome-ignore lint/plugin: it shows timers that are late, which no time of the database can
  return performance.now()
}

function digest(text: string): string {
  return hash('sha256', text, 'base64')
}

export function readKnownKey(services: Services, text: string): KeyOwner | undefined {
  const kept = known.get(services)?.get(digest(text))
  return kept && processClockMs() < kept.untilMs ? kept.owner : undefined
}

/** The second in which what the database answers may be used; it begins before the database is asked. */
export interface Keeping {
  /** From now to the end of that second the key is known. */
  keep(owner: KeyOwner): void
  /** Ends it early: there is nothing to keep. */
  drop(): void
}

export function startKeeping(services: Services, text: string): Keeping {
  const keys = known.get(services) ?? new Map<string, Known>()
  known.set(services, keys)
  const name = digest(text)
  const untilMs = processClockMs() + KEPT_MS
  let kept: Known | null = null
  let over = false
  const timer = setTimeout(() => {
    over = true
    // Another call may have asked later, and what it found is still good.
    if (kept !== null && keys.get(name) === kept) keys.delete(name)
  }, KEPT_MS)
  timer.unref()
  return {
    keep(owner) {
      if (over) return
      kept = { owner, untilMs }
      keys.set(name, kept)
    },
    drop() {
      clearTimeout(timer)
    },
  }
}
