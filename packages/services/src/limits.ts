/** Limits that an operator sets for all by `WORKLY_LIMIT_*`, and per organization or project by override (spec section 8). */
export interface LimitDefaults {
  jobs_per_organization: number
  /** Seconds between two times of a schedule. */
  shortest_interval_seconds: number
  /** Bytes of a target's body. */
  target_body_bytes: number
  /** Headers of a request to a target. */
  target_headers: number
  /** Bytes of the names and values of a target's headers together. */
  target_header_bytes: number
  /** Tags of a job. */
  job_tags: number
  /** Test calls of a project under way at once, in each process that makes them. */
  test_calls_in_flight: number
  /** Bytes of a container's command, arguments and environment together. */
  container_settings_bytes: number
  /** Calls in flight per project. */
  project_calls_in_flight: number
  /** Calls in flight per target host within a project. */
  host_calls_in_flight: number
}

export const LIMIT_DEFAULTS: LimitDefaults = {
  jobs_per_organization: 10_000,
  shortest_interval_seconds: 60,
  target_body_bytes: 1024 * 1024,
  target_headers: 50,
  target_header_bytes: 16 * 1024,
  job_tags: 20,
  test_calls_in_flight: 10,
  container_settings_bytes: 128 * 1024,
  project_calls_in_flight: 100,
  host_calls_in_flight: 50,
}

export const LIMIT_KEYS = Object.keys(LIMIT_DEFAULTS) as (keyof LimitDefaults)[]

/** What may be set: whole numbers within a range, some only for a whole organization. */
export interface LimitRule {
  min: number
  max: number
  /** What it says, for the operator's list. */
  meaning: string
  /** Counted over the organization, so it cannot be set for one project. */
  organizationOnly?: true
}

const CALLS = { min: 1, max: 1_000_000 }

export const LIMIT_RULES: Record<keyof LimitDefaults, LimitRule> = {
  jobs_per_organization: {
    min: 0,
    max: 100_000_000,
    meaning: 'jobs in the organization',
    organizationOnly: true,
  },
  shortest_interval_seconds: { min: 1, max: 86_400, meaning: 'seconds between two times of a schedule' },
  target_body_bytes: { min: 1, max: 100 * 1024 * 1024, meaning: 'bytes of the body sent to a target' },
  target_headers: { min: 0, max: 1_000, meaning: 'headers of a request to a target' },
  target_header_bytes: { min: 0, max: 1024 * 1024, meaning: "bytes of a target's headers together" },
  job_tags: { min: 0, max: 1_000, meaning: 'tags of a job' },
  test_calls_in_flight: { min: 1, max: 10_000, meaning: 'test calls of a project at once, per process' },
  // A Kubernetes Job is at most 1.5 MiB with all that it says.
  container_settings_bytes: {
    min: 1,
    max: 1024 * 1024,
    meaning: "bytes of a container's command, arguments and environment",
  },
  project_calls_in_flight: { ...CALLS, meaning: 'calls in flight per project' },
  host_calls_in_flight: { ...CALLS, meaning: 'calls in flight per target host within a project' },
}

/** The limits in force: the project's override, else the organization's, else the default. */
export function effectiveLimits(defaults: LimitDefaults, ...overrides: unknown[]): LimitDefaults {
  const limits = { ...defaults }
  for (const override of overrides) {
    if (typeof override !== 'object' || override === null) continue
    for (const key of LIMIT_KEYS) {
      const value = (override as Record<string, unknown>)[key]
      if (typeof value === 'number') limits[key] = value
    }
  }
  return limits
}
