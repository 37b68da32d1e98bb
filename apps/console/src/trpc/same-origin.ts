/**
 * Why a call of the console's procedures is refused before anything is read, or null when it may pass: it must come from
 * the console's own pages. Browsers say so by `Sec-Fetch-Site`, older ones by `Origin`; a body must be JSON, which no
 * form on another site can send without being asked for by a preflight.
 * @param publicHost the host the console is reached at, where a proxy in front sends another one
 */
export function foreignRequest(method: string, headers: Headers, publicHost: string | null): string | null {
  const foreign = foreignSender(method, headers, publicHost)
  if (foreign !== null || isReading(method)) return foreign
  const [type = ''] = (headers.get('content-type') ?? '').split(';')
  return type.trim().toLowerCase() === 'application/json' ? null : 'Calls are sent as JSON.'
}

const OWN_PAGES = 'Calls are only taken from the console’s own pages.'

/** The same for what may come as a form, such as a sign-in. */
export function foreignSender(method: string, headers: Headers, publicHost: string | null): string | null {
  const hosts = [headers.get('host'), publicHost]
  const site = headers.get('sec-fetch-site')
  if (site !== null && site !== 'same-origin') return OWN_PAGES
  if (isReading(method)) return null
  const origin = headers.get('origin')
  if (site === null && !isOriginOf(origin, hosts)) return OWN_PAGES
  return origin !== null && !isOriginOf(origin, hosts) ? OWN_PAGES : null
}

function isReading(method: string): boolean {
  return method === 'GET' || method === 'HEAD'
}

function isOriginOf(origin: string | null, hosts: readonly (string | null)[]): boolean {
  if (origin === null || !URL.canParse(origin)) return false
  const { host } = new URL(origin)
  return host !== '' && hosts.some(known => known?.toLowerCase() === host)
}
