const MAX_FAILURES = 10
const WINDOW_MS = 15 * 60_000
/** More addresses than this at once are an attack; the oldest make room. */
const MAX_KEYS = 10_000

/**
 * Slows down guessing: after ten wrong passwords for one e-mail address within 15 minutes it is closed, until the first
 * of them is 15 minutes old. It counts per process, and addresses without an account alike, so that it tells nobody
 * which exist. Times are milliseconds since the epoch.
 */
export class SignInThrottle {
  readonly #failures = new Map<string, number[]>()

  isClosed(key: string, now: number): boolean {
    return this.#recent(key, now).length >= MAX_FAILURES
  }

  failed(key: string, now: number): void {
    const recent = this.#recent(key, now)
    this.#failures.delete(key)
    this.#failures.set(key, [...recent, now])
    const [oldest] = this.#failures.keys()
    if (this.#failures.size > MAX_KEYS && oldest !== undefined) this.#failures.delete(oldest)
  }

  succeeded(key: string): void {
    this.#failures.delete(key)
  }

  #recent(key: string, now: number): number[] {
    return (this.#failures.get(key) ?? []).filter(at => at > now - WINDOW_MS)
  }
}
