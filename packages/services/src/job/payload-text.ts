// TypeScript's library knows neither the source text nor rawJSON yet; Node has both since 22.
const { parse, rawJSON } = JSON as unknown as {
  parse(text: string, revive: (key: string, value: unknown, context: { source?: string }) => unknown): unknown
  rawJSON(text: string): unknown
}

/**
 * The value of a payload's stored text, to be written as JSON again digit for digit: a number that a double would
 * change comes as `JSON.rawJSON`. So what GET shows can be sent back by PUT, and a PATCH of something else leaves it.
 */
export function readPayload(text: string): unknown {
  return parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source ? rawJSON(source) : value,
  )
}
