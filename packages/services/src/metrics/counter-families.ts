import { BUCKETS, type HistogramName, LAST_BUCKET } from './buckets.ts'
import type { Family, Sample } from './exposition.ts'

/** A counter, or the sum of the counters of several projects. */
export interface CounterRow {
  metric: string
  label: string
  value: number
}

const HISTOGRAMS: Record<HistogramName, { name: string; help: string }> = {
  start_delay: {
    name: 'workly_start_delay_seconds',
    help: 'From the scheduled time of a run to the start of its first attempt; backfills aside.',
  },
  delivery: {
    name: 'workly_delivery_duration_seconds',
    help: 'How long calls took, from the look-up of the name to the end of the response, and containers until they had exited or reported.',
  },
}

/** What is counted per project, as metrics. `labels` stand on every series. */
export function counterFamilies(rows: readonly CounterRow[], labels: Sample['labels'] = {}): Family[] {
  return [
    {
      name: 'workly_runs_total',
      help: 'Runs that have ended, by state; class is what a failed run failed with, or why one was skipped.',
      type: 'counter',
      samples: sorted(rows, 'runs').map(({ label, value }) => {
        const [state = '', cls = ''] = label.split(' ')
        return { labels: { ...labels, state, class: cls }, value }
      }),
    },
    {
      name: 'workly_attempts_total',
      help: 'Attempts that have ended, by state and class.',
      type: 'counter',
      samples: sorted(rows, 'attempts').map(({ label, value }) => ({
        labels: { ...labels, state: attemptState(label), class: label },
        value,
      })),
    },
    histogram(rows, 'start_delay', labels),
    histogram(rows, 'delivery', labels),
  ]
}

function sorted(rows: readonly CounterRow[], metric: string): CounterRow[] {
  return rows.filter(row => row.metric === metric).sort((a, b) => (a.label < b.label ? -1 : 1))
}

/** The state that an attempt of this class ended in. */
function attemptState(cls: string): string {
  if (cls === 'ok') return 'succeeded'
  return cls === 'lost' || cls === 'cancelled' ? cls : 'failed'
}

/** Buckets are counted each for itself and shown summed up, as Prometheus wants them. */
function histogram(rows: readonly CounterRow[], which: HistogramName, labels: Sample['labels']): Family {
  const counts = new Map<string, number>([...BUCKETS[which].map(String), LAST_BUCKET].map(le => [le, 0]))
  for (const { label, value } of sorted(rows, which)) counts.set(label, value)
  const bound = (le: string) => (le === LAST_BUCKET ? Number.POSITIVE_INFINITY : Number(le))
  let count = 0
  const buckets = [...counts]
    .sort(([a], [b]) => bound(a) - bound(b))
    .map(([le, n]): Sample => {
      count += n
      return { labels: { ...labels, le }, value: count, suffix: '_bucket' }
    })
  const sum = rows.find(row => row.metric === `${which}_ms`)?.value ?? 0
  return {
    ...HISTOGRAMS[which],
    type: 'histogram',
    samples: [
      ...buckets,
      { labels, value: sum / 1000, suffix: '_sum' },
      { labels, value: count, suffix: '_count' },
    ],
  }
}
