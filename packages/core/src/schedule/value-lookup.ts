/** Answers "the nearest matching value from here on" for one field of the clock in constant time. */
export class ValueLookup {
  readonly first: number
  readonly last: number
  readonly #next: Int8Array
  readonly #previous: Int8Array

  /** @param values matching values, ascending, at least one, all below `size` */
  constructor(values: readonly number[], size: number) {
    this.first = values[0] ?? 0
    this.last = values[values.length - 1] ?? 0
    this.#next = new Int8Array(size).fill(-1)
    this.#previous = new Int8Array(size).fill(-1)
    const matching = new Set(values)
    for (let v = 0, seen = -1; v < size; v++) {
      if (matching.has(v)) seen = v
      this.#previous[v] = seen
    }
    for (let v = size - 1, seen = -1; v >= 0; v--) {
      if (matching.has(v)) seen = v
      this.#next[v] = seen
    }
  }

  /** The smallest matching value at or above `value`, or -1. */
  atOrAfter(value: number): number {
    return this.#next[value] ?? -1
  }

  /** The greatest matching value at or below `value`, or -1. */
  atOrBefore(value: number): number {
    return this.#previous[value] ?? -1
  }
}
