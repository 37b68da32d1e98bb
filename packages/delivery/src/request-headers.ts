/** What frames the message or governs the connection; undici writes these itself, or they would lie. */
const FRAMING = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'expect',
  'upgrade',
])

/**
 * Names and values in turn, as undici takes them, with a `User-Agent` if none is given. `Host` above all is refused and
 * not passed on: undici would take the server name for TLS from it.
 * @returns the list, or the name of a header that cannot be sent
 */
export function requestHeaders(
  headers: Readonly<Record<string, string>>,
  userAgent: string,
): string[] | string {
  const list: string[] = []
  let named = false
  for (const name of Object.keys(headers)) {
    const lower = name.toLowerCase()
    if (FRAMING.has(lower)) return name
    if (lower === 'user-agent') named = true
    list.push(name, headers[name] ?? '')
  }
  if (!named) list.push('User-Agent', userAgent)
  return list
}
