const WINDOW_MS = 15 * 60_000

/**
 * Wrong passwords within 15 minutes before a door is shut. By address: somebody who tries many accounts, or fills the
 * queue of those who wait. By account and address: somebody who tries one. By account: many machines that try one. By
 * browser: one that has signed in to this account before.
 */
const MOST = { address: 30, pair: 10, account: 100, browser: 10 } as const

/** More than can be counted within the window by checking passwords one after the other, at some ten a second. */
const MAX_KEYS = 50_000

/** Who tries. */
export interface Guesser {
  /** The e-mail address as it is looked for, whether it has an account or not. */
  account: string
  /** From where, as `callerKey` gives it. */
  address: string
  /** A browser known to have signed in to this account before; null for any other. */
  browser: string | null
}

/** A try under way. It counts as wrong until it is said to be right. */
export interface Try {
  /** The password was right, or was not looked at. */
  isNoGuess(): void
}

/**
 * Slows down guessing. It counts per process, and addresses without an account alike, so that it tells nobody which
 * exist. Nobody can shut a person out of their own account: a browser that has signed in to it before is counted by
 * itself, whatever others do. Times are milliseconds since the epoch.
 */
export class SignInThrottle {
  readonly #tries = new Map<string, number[]>()

  /** How many things are counted. */
  get size(): number {
    return this.#tries.size
  }

  /** @returns null when too many were wrong; a try refused is not counted, so that the door opens again by itself */
  begin(who: Guesser, now: number): Try | null {
    const counted = keysOf(who)
    if (counted.some(({ key, most }) => this.#recent(key, now).length >= most)) return null
    for (const { key } of counted) this.#add(key, now)
    let taken = false
    return {
      isNoGuess: () => {
        if (taken) return
        taken = true
        for (const { key } of counted) this.#remove(key, now)
      },
    }
  }

  #add(key: string, now: number): void {
    const recent = this.#recent(key, now)
    this.#tries.delete(key)
    this.#tries.set(key, [...recent, now])
    const [oldest] = this.#tries.keys()
    if (this.#tries.size > MAX_KEYS && oldest !== undefined) this.#tries.delete(oldest)
  }

  #remove(key: string, at: number): void {
    const tries = this.#tries.get(key) ?? []
    const index = tries.indexOf(at)
    if (index >= 0) tries.splice(index, 1)
    if (tries.length === 0) this.#tries.delete(key)
  }

  #recent(key: string, now: number): number[] {
    return (this.#tries.get(key) ?? []).filter(at => at > now - WINDOW_MS)
  }
}

function keysOf({ account, address, browser }: Guesser): { key: string; most: number }[] {
  if (browser !== null) return [{ key: `browser ${browser} ${account}`, most: MOST.browser }]
  return [
    { key: `address ${address}`, most: MOST.address },
    { key: `pair ${address} ${account}`, most: MOST.pair },
    { key: `account ${account}`, most: MOST.account },
  ]
}
