import type { Scope } from '@workly/services'

/** What an API key of a scope may do (spec section 8). */
export const SCOPE_WORDS: Record<Scope, string> = {
  read: 'Read: see jobs and runs',
  run: 'Run: also run, pause, retry, cancel and report',
  write: 'Write: also make, change and delete jobs',
}
