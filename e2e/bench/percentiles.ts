/** The middle, the slow and the slowest of some milliseconds, to a tenth. */
export function percentiles(values: number[]): {
  p50: number
  p90: number
  p95: number
  p99: number
  max: number
} {
  const sorted = values.toSorted((a, b) => a - b)
  // Nearest rank: the smallest value that so many of them do not exceed.
  const at = (share: number) => round(sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN)
  return { p50: at(0.5), p90: at(0.9), p95: at(0.95), p99: at(0.99), max: at(1) }
}

/** To a tenth, or to one in so many. */
export function round(value: number, parts = 10): number {
  return Math.round(value * parts) / parts
}
