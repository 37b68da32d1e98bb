/** Limits that an operator sets for all by `WORKLY_LIMIT_*`, and per organization or project by override (spec section 8). */
export interface LimitDefaults {
  jobs_per_organization: number
  /** Seconds between two times of a schedule. */
  shortest_interval_seconds: number
  /** Bytes of a target's body. */
  target_body_bytes: number
  /** Calls in flight per project. */
  project_calls_in_flight: number
  /** Calls in flight per target host within a project. */
  host_calls_in_flight: number
}

export const LIMIT_DEFAULTS: LimitDefaults = {
  jobs_per_organization: 10_000,
  shortest_interval_seconds: 60,
  target_body_bytes: 1024 * 1024,
  project_calls_in_flight: 100,
  host_calls_in_flight: 50,
}

/** The limits in force: the project's override, else the organization's, else the default. */
export function effectiveLimits(defaults: LimitDefaults, ...overrides: unknown[]): LimitDefaults {
  const limits = { ...defaults }
  for (const override of overrides) {
    if (typeof override !== 'object' || override === null) continue
    for (const key of Object.keys(limits) as (keyof LimitDefaults)[]) {
      const value = (override as Record<string, unknown>)[key]
      if (typeof value === 'number') limits[key] = value
    }
  }
  return limits
}
