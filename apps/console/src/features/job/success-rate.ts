/**
 * The share of runs that succeeded, of those that succeeded or failed: `99.2 %`; null before there is one. It is rounded
 * down, so that 100 % means all and a failure always shows.
 */
export function successRate(counts: { succeeded: number; failed: number }): string | null {
  const ended = counts.succeeded + counts.failed
  if (ended === 0) return null
  const tenths = Math.floor((counts.succeeded / ended) * 1000)
  return tenths % 10 === 0 ? `${tenths / 10} %` : `${(tenths / 10).toFixed(1)} %`
}
