/** What came after its time was up, as the API gives it: a callback's report, or a call's result. */
type Late = Record<string, unknown>

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null)

/** When it came, RFC 3339; null where nothing tells. */
export function lateAt(late: Late): string | null {
  return text(late.received_at) ?? text(late.finished_at)
}

/** In words, without when: `A callback said OK: 1,204 rows.` */
export function lateWords(late: Late): string {
  const result = text(late.result)
  if (result !== null) {
    const description = text(late.description)
    return `A callback said ${result}${description ? `: ${description}` : ''}.`
  }
  const message = text(late.message)
  if (typeof late.status === 'number')
    return `The target answered with status ${late.status}${message ? `: ${message}` : ''}.`
  return message ? `The call ended: ${message}` : 'The call ended.'
}
