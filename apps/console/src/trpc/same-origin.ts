/**
 * Why a call of the console's procedures is refused before anything is read, or null when it may pass: it must come from
 * the console's own pages. Browsers say so by `Sec-Fetch-Site`, older ones by `Origin`; a body must be JSON, which no
 * form on another site can send without being asked for by a preflight.
 * @param publicHost the host the console is reached at, where a proxy in front sends another one
 */
export function foreignRequest(method: string, headers: Headers, publicHost: string | null): string | null {
  const hosts = [headers.get('host'), publicHost]
  const site = headers.get('sec-fetch-site')
  if (site !== null && site !== 'same-origin') return 'Calls are only taken from the console’s own pages.'
  if (method === 'GET' || method === 'HEAD') return null
  const origin = headers.get('origin')
  if (site === null && !isOriginOf(origin, hosts)) return 'Calls are only taken from the console’s own pages.'
  if (origin !== null && !isOriginOf(origin, hosts))
    return 'Calls are only taken from the console’s own pages.'
  const [type = ''] = (headers.get('content-type') ?? '').split(';')
  return type.trim().toLowerCase() === 'application/json' ? null : 'Calls are sent as JSON.'
}

function isOriginOf(origin: string | null, hosts: readonly (string | null)[]): boolean {
  if (origin === null || !URL.canParse(origin)) return false
  const { host } = new URL(origin)
  return host !== '' && hosts.some(known => known?.toLowerCase() === host)
}
