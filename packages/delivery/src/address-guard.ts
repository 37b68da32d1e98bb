import { type Cidr, isPublicAddress } from '@workly/core'

/** Judging an IPv6 address takes some 10 µs, and every call judges all of a name's again. */
const MOST_REMEMBERED = 10_000

/** The network guard's judgement of addresses (spec section 7), for the blocks that an operator has opened. */
export class AddressGuard {
  readonly #allowed: readonly Cidr[]
  readonly #judged = new Map<string, boolean>()

  constructor(allowed: readonly Cidr[]) {
    this.#allowed = allowed
  }

  /** Whether an address may be connected to. */
  allows(address: string): boolean {
    const known = this.#judged.get(address)
    if (known !== undefined) return known
    if (this.#judged.size >= MOST_REMEMBERED) this.#judged.clear()
    const allowed = isPublicAddress(address, this.#allowed)
    this.#judged.set(address, allowed)
    return allowed
  }

  /**
   * Whether a name with these addresses may be called: all of them may. One that may not blocks the name, since which
   * one is connected to would be chance.
   */
  allowsAll(addresses: readonly string[]): boolean {
    return addresses.every(address => this.allows(address))
  }
}
