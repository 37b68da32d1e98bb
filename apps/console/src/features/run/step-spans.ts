interface StepTimes {
  started_at: string | null
  finished_at: string | null
}

/** Where a step lay within the whole of a run: from 0 to 1, and how long it took. */
export interface StepSpan {
  from: number
  share: number
  ms: number
}

/**
 * The spans of a pipeline's steps between the first start and the last end, or now while one goes on; null for a step
 * that never started.
 * @param now milliseconds since the epoch
 */
export function stepSpans(steps: readonly StepTimes[], now: number): (StepSpan | null)[] {
  const times = steps.map(step => {
    if (step.started_at === null) return null
    const start = Date.parse(step.started_at)
    return { start, end: Math.max(start, step.finished_at === null ? now : Date.parse(step.finished_at)) }
  })
  const known = times.filter(time => time !== null)
  const first = Math.min(...known.map(time => time.start))
  const whole = Math.max(1, Math.max(...known.map(time => time.end)) - first)
  return times.map(time => {
    if (time === null) return null
    const ms = time.end - time.start
    return { from: (time.start - first) / whole, share: ms / whole, ms }
  })
}
