/** Which methods an address takes: for `Allow`, and to tell 404 from 405. */
export class Addresses {
  readonly #routes: { pattern: RegExp; method: string }[] = []

  /** @param path with `{name}` for its parts */
  add(method: string, path: string): void {
    const source = path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')
    this.#routes.push({ pattern: new RegExp(`^${source}$`), method: method.toUpperCase() })
  }

  /** The methods of an address, HEAD and OPTIONS included; empty for one that is none. */
  methodsOf(path: string): string[] {
    const methods = new Set(
      this.#routes.flatMap(({ pattern, method }) => (pattern.test(path) ? [method] : [])),
    )
    if (methods.size === 0) return []
    if (methods.has('GET')) methods.add('HEAD')
    return [...methods.add('OPTIONS')].sort()
  }
}
