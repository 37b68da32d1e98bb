import { createRequire } from 'node:module'

/** One series, or all buckets of a histogram's series. Values are the text that stood there. */
export interface ParsedMetric {
  labels?: Record<string, string>
  value?: string
  buckets?: Record<string, string>
  count?: string
  sum?: string
}

export interface ParsedFamily {
  name: string
  help: string
  type: 'COUNTER' | 'GAUGE' | 'HISTOGRAM'
  metrics: ParsedMetric[]
}

// It has no types of its own.
const parse: (text: string) => ParsedFamily[] = createRequire(import.meta.url)('parse-prometheus-text-format')

/** Reads metrics by a parser of the text format that is not ours. */
export class PrometheusText {
  readonly families: Map<string, ParsedFamily>
  /** Without their types, so that each line stands for itself: the parser drops a histogram's own labels. */
  readonly #lines: Map<string, ParsedFamily>

  constructor(text: string) {
    this.families = new Map(parse(text).map(family => [family.name, family]))
    const untyped = text.replaceAll(/^# .*\n/gm, '')
    this.#lines = new Map(parse(untyped).map(family => [family.name, family]))
  }

  family(name: string): ParsedFamily {
    const family = this.families.get(name)
    if (!family) throw new Error(`there is no ${name} in ${[...this.families.keys()].join(', ')}`)
    return family
  }

  /** The value of the line that has these labels, others aside; undefined where there is none. */
  value(name: string, labels: Record<string, string> = {}): number | undefined {
    const found = this.#lines
      .get(name)
      ?.metrics.find(metric =>
        Object.entries(labels).every(([label, value]) => metric.labels?.[label] === value),
      )
    return found?.value === undefined ? undefined : Number(found.value)
  }
}
