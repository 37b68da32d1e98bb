/** A browser as the console sees it: cookies kept by name, no redirect followed, calls sent as from its own pages. */
export class Visitor {
  readonly cookies = new Map<string, string>()
  /** `Set-Cookie` lines as they came. */
  readonly setCookies: string[] = []
  readonly #url: string
  readonly #origin: string

  /**
   * @param url where the console listens
   * @param origin where it is reached, through a proxy
   */
  constructor(url: string, origin = url) {
    this.#url = url
    this.#origin = origin
  }

  async send(method: string, path: string, init: RequestInit = {}): Promise<Response> {
    const response = await fetch(`${this.#url}${path}`, {
      ...init,
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(30_000),
      headers: {
        cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(method === 'POST' && { origin: this.#origin }),
        ...init.headers,
      },
    })
    for (const line of response.headers.getSetCookie()) this.#keep(line)
    return response
  }

  /** @returns the status of the answer, and where next-auth would send the browser */
  async signIn(email: string, password: string): Promise<{ status: number; url: string }> {
    const { csrfToken } = (await (await this.send('GET', '/api/auth/csrf')).json()) as { csrfToken: string }
    const form = new URLSearchParams({ email, password, csrfToken, json: 'true' })
    const response = await this.send('POST', '/api/auth/callback/credentials', { body: form })
    const { url = '' } = (await response.json().catch(() => ({}))) as { url?: string }
    return { status: response.status, url }
  }

  /** Who the console says is signed in. */
  async person(): Promise<unknown> {
    const session = (await (await this.send('GET', '/api/auth/session')).json()) as { user?: unknown }
    return session.user
  }

  /** A procedure of the console that changes something, called as pages do: a batch of one, from which no input is left out. */
  mutate(procedure: string, input: unknown): Promise<Response> {
    return this.send('POST', `/api/trpc/${procedure}?batch=1`, {
      body: JSON.stringify({ 0: input }),
      headers: { 'content-type': 'application/json' },
    })
  }

  /** A procedure of the console that reads. */
  query(procedure: string, input: unknown): Promise<Response> {
    return this.send('GET', `/api/trpc/${procedure}?input=${encodeURIComponent(JSON.stringify(input))}`)
  }

  #keep(line: string): void {
    this.setCookies.push(line)
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    if (value === '' || /Max-Age=0|Expires=Thu, 01 Jan 1970/i.test(line)) this.cookies.delete(name)
    else this.cookies.set(name, value)
  }
}
