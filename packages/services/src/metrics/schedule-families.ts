import type { Family, Sample } from './exposition.ts'

/** What a job's row says of it. */
export interface JobCounts {
  name: string
  state: 'active' | 'paused' | 'completed'
  next_run_at: Date | null
  last_success_at: Date | null
  last_failure_at: Date | null
  consecutive_failures: number
  runs_succeeded: number
  runs_failed: number
  runs_cancelled: number
  runs_skipped: number
}

/** The series of each job. They come from its row, so they take no look at its runs, and retention leaves them alone. */
export function scheduleFamilies(jobs: readonly JobCounts[], labels: Sample['labels']): Family[] {
  const of = (job: JobCounts) => ({ ...labels, schedule: job.name })
  /** Nothing for a job that has no such instant: a zero would look like 1970. */
  const instants = (which: (job: JobCounts) => Date | null) =>
    jobs.flatMap((job): Sample[] => {
      const at = which(job)
      return at === null ? [] : [{ labels: of(job), value: at.getTime() / 1000 }]
    })
  return [
    {
      name: 'workly_schedule_last_success_timestamp_seconds',
      help: 'When a run of the schedule last succeeded, in seconds since the epoch.',
      type: 'gauge',
      samples: instants(job => job.last_success_at),
    },
    {
      name: 'workly_schedule_last_failure_timestamp_seconds',
      help: 'When a run of the schedule last failed for good, in seconds since the epoch.',
      type: 'gauge',
      samples: instants(job => job.last_failure_at),
    },
    {
      name: 'workly_schedule_next_run_timestamp_seconds',
      help: 'The next scheduled time, in seconds since the epoch; absent while paused or completed.',
      type: 'gauge',
      samples: instants(job => job.next_run_at),
    },
    {
      name: 'workly_schedule_consecutive_failures',
      help: 'Runs that have failed since the last success.',
      type: 'gauge',
      samples: jobs.map(job => ({ labels: of(job), value: job.consecutive_failures })),
    },
    {
      name: 'workly_schedule_state',
      help: '1 under the state that the schedule is in: active, paused or completed.',
      type: 'gauge',
      samples: jobs.map(job => ({ labels: { ...of(job), state: job.state }, value: 1 })),
    },
    {
      name: 'workly_schedule_runs_total',
      help: 'Runs of the schedule that have ended, by state, those that retention has removed included.',
      type: 'counter',
      samples: jobs.flatMap(job =>
        (['succeeded', 'failed', 'cancelled', 'skipped'] as const).map(state => ({
          labels: { ...of(job), state },
          value: job[`runs_${state}`],
        })),
      ),
    },
  ]
}
