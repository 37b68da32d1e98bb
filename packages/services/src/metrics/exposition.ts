/** What `Content-Type` says of the text: Prometheus' text format 0.0.4. */
export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** One line: a value under its labels. */
export interface Sample {
  labels: Readonly<Record<string, string>>
  value: number
  /** `_bucket`, `_sum` or `_count` of a histogram. */
  suffix?: string
}

/** A metric with all its series. */
export interface Family {
  name: string
  help: string
  type: 'counter' | 'gauge' | 'histogram'
  samples: Sample[]
}

/** Families in Prometheus' text format (prometheus.io/docs/instrumenting/exposition_formats). */
export function exposition(families: readonly Family[]): string {
  const lines: string[] = []
  for (const { name, help, type, samples } of families) {
    lines.push(`# HELP ${name} ${escapeHelp(help)}`, `# TYPE ${name} ${type}`)
    for (const sample of samples) {
      lines.push(`${name}${sample.suffix ?? ''}${labelsText(sample.labels)} ${valueText(sample.value)}`)
    }
  }
  return `${lines.join('\n')}\n`
}

function labelsText(labels: Sample['labels']): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

const escapeHelp = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')

const escapeLabel = (text: string) => escapeHelp(text).replaceAll('"', '\\"')

function valueText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf'
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value)
}
