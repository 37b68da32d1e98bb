/**
 * What a target's JSON body says went wrong: its `message`, `error.message`, `error`, `detail` or `title`, in this order
 * (spec section 5); null if it is no JSON object or has none of these as text. Whatever `Content-Type` says, since
 * targets often say it wrong.
 */
export function bodyMessage(body: Uint8Array): string | null {
  const text = new TextDecoder().decode(body).trimStart()
  if (!text.startsWith('{')) return null
  const parsed = parseObject(text)
  if (parsed === null) return null
  const { message, error, detail, title } = parsed
  const nested = typeof error === 'object' && error !== null && 'message' in error ? error.message : undefined
  for (const candidate of [message, nested, error, detail, title]) {
    // NUL and lone surrogates are legal in JSON but cannot be stored as text.
    const words = typeof candidate === 'string' ? candidate.replaceAll('\0', '').toWellFormed().trim() : ''
    if (words !== '') return words
  }
  return null
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return null
  }
}
