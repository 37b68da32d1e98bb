import { expect, test } from 'vitest'
import { LIMIT_DEFAULTS } from './limits.ts'

test('the limits that nobody has set are those that are promised', () => {
  expect(LIMIT_DEFAULTS).toMatchObject({
    jobs_per_organization: 10_000,
    shortest_interval_seconds: 60,
    target_body_bytes: 1_048_576,
    target_headers: 50,
    target_header_bytes: 16_384,
    job_tags: 20,
    project_calls_in_flight: 100,
    host_calls_in_flight: 50,
  })
})
