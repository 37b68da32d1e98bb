import { IANAZone } from 'luxon'

/**
 * Offsets are worked out in blocks of 48 days, each sampled every 6 days: no two changes of one zone since 1970 lie
 * closer than 6.95 days (tzdata 2025b: Asia/Gaza 2040), so none hides between two samples.
 */
const SAMPLE_MS = 6 * 86_400_000
const BLOCK_MS = 8 * SAMPLE_MS
/** Some eight years of one zone; the oldest block goes when another comes. */
const BLOCKS_KEPT = 64

/** A stretch of time over which a zone keeps one offset. Two neighbours may have the same. */
export interface OffsetSpan {
  /** Milliseconds since epoch, inclusive. */
  readonly startMs: number
  /** Milliseconds since epoch, exclusive. */
  readonly endMs: number
  /** Local time minus UTC, in milliseconds. */
  readonly offsetMs: number
}

/** The offsets of one time zone, worked out when asked for and kept. */
export class ZoneOffsets {
  readonly name: string
  readonly #zone: IANAZone
  readonly #blocks = new Map<number, OffsetSpan[]>()

  /** @param name a name that `Intl` knows */
  constructor(name: string) {
    this.name = name
    this.#zone = IANAZone.create(name)
  }

  /** The span that holds an instant. */
  spanAt(ms: number): OffsetSpan {
    const spans = this.#block(Math.floor(ms / BLOCK_MS))
    const found = spans.find(span => ms < span.endMs)
    if (found === undefined) throw new RangeError(`no offset of ${this.name} at ${ms}`)
    return found
  }

  #block(index: number): OffsetSpan[] {
    const known = this.#blocks.get(index)
    if (known !== undefined) return known
    const spans = this.#workOut(index * BLOCK_MS)
    for (const oldest of this.#blocks.keys()) {
      if (this.#blocks.size < BLOCKS_KEPT) break
      this.#blocks.delete(oldest)
    }
    this.#blocks.set(index, spans)
    return spans
  }

  #workOut(blockStart: number): OffsetSpan[] {
    const blockEnd = blockStart + BLOCK_MS
    const spans: OffsetSpan[] = []
    let startMs = blockStart
    let offsetMs = this.#offset(blockStart)
    for (let sample = blockStart + SAMPLE_MS; sample <= blockEnd; sample += SAMPLE_MS) {
      const sampled = this.#offset(sample)
      while (offsetMs !== sampled) {
        const change = this.#changeBetween(Math.max(startMs, sample - SAMPLE_MS), sample, offsetMs)
        if (change === blockEnd) break
        spans.push({ startMs, endMs: change, offsetMs })
        startMs = change
        offsetMs = this.#offset(change)
      }
    }
    spans.push({ startMs, endMs: blockEnd, offsetMs })
    return spans
  }

  /** The first whole second after `from`, and not after `to`, whose offset is another than `offsetMs`. */
  #changeBetween(from: number, to: number, offsetMs: number): number {
    let same = from / 1000
    let other = to / 1000
    while (other - same > 1) {
      const middle = Math.floor((same + other) / 2)
      if (this.#offset(middle * 1000) === offsetMs) same = middle
      else other = middle
    }
    return other * 1000
  }

  #offset(ms: number): number {
    return Math.round(this.#zone.offset(ms) * 60_000)
  }
}
