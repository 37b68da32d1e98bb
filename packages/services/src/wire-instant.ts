import { formatInstant } from '@workly/core'

/** An instant as every answer and header writes it (spec section 6): `2026-12-01T02:00:00Z`, milliseconds only where there are some. */
export function wireInstant(at: Date): string {
  return formatInstant(at.getTime())
}

/** As {@link wireInstant}; null for null. */
export function wireInstantOrNull(at: Date | null): string | null {
  return at === null ? null : wireInstant(at)
}
