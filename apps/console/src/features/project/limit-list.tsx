import type { ShownProject } from '#trpc/router.ts'
import { Card, Fact, Facts } from '#ui/card.tsx'

const WORDS: Record<keyof ShownProject['limits'], string> = {
  jobs_per_organization: 'Jobs of the organization',
  shortest_interval_seconds: 'Shortest interval, seconds',
  target_body_bytes: 'Body of a request, bytes',
  target_headers: 'Headers of a request',
  target_header_bytes: 'Headers together, bytes',
  job_tags: 'Tags of a job',
  test_calls_in_flight: 'Test calls at once',
  container_settings_bytes: 'What a container is given, bytes',
  project_calls_in_flight: 'Calls in flight',
  host_calls_in_flight: 'Calls in flight per target host',
}

/** The limits in force, to be read: the operator sets them. */
export function LimitList({ limits }: { limits: ShownProject['limits'] }) {
  return (
    <Card title="Limits">
      <div className="grid gap-4">
        <p className="text-muted">
          The operator of this Workly sets them. Calls over a bound wait for their turn; nothing is skipped
          for it.
        </p>
        <Facts>
          {Object.entries(limits).map(([key, value]) => (
            <Fact key={key} name={WORDS[key as keyof typeof WORDS] ?? key}>
              <span className="tnum">{value.toLocaleString('en')}</span>
            </Fact>
          ))}
        </Facts>
      </div>
    </Card>
  )
}
