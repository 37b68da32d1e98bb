/** What is counted by how long it took. */
export type HistogramName = 'start_delay' | 'delivery'

/**
 * Upper bounds in seconds of each histogram's buckets; the last bucket has none. Counters are stored by bound, so a
 * bound may be added or dropped: old counts stay under the bounds they were counted by, which reads right either way.
 */
export const BUCKETS: Record<HistogramName, readonly number[]> = {
  start_delay: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3600],
  delivery: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800],
}

/** The label of the bucket that has no upper bound. */
export const LAST_BUCKET = '+Inf'

/** The label of the first bucket whose bound is not below `ms` milliseconds. */
export function bucketOf(name: HistogramName, ms: number): string {
  const bound = BUCKETS[name].find(seconds => ms <= seconds * 1000)
  return bound === undefined ? LAST_BUCKET : String(bound)
}
