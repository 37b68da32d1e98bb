import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { join } from 'node:path'
import type { Reporter, TestCase, TestResult } from '@playwright/test/reporter'
import type { Measured } from './fault-record.ts'

interface Line extends Partial<Measured> {
  fault: string
  passed: boolean
  took_s: number
}

const ATTACHED = 'measured'

/** Gathers what the tests have measured into one table, as Markdown on the terminal and as both in files. */
export default class TableReporter implements Reporter {
  readonly #lines: Line[] = []
  readonly #folder = process.env.FAULTS_REPORT_DIR

  onTestEnd(test: TestCase, result: TestResult): void {
    const body = result.attachments.find(attachment => attachment.name === ATTACHED)?.body
    const measured = body ? (JSON.parse(body.toString('utf8')) as Measured) : {}
    this.#lines.push({
      fault: test.title,
      passed: result.status === 'passed',
      took_s: Math.round(result.duration / 1_000),
      ...measured,
    })
  }

  onEnd(): void {
    if (this.#lines.length === 0) return
    const table = markdown(this.#lines)
    process.stdout.write(`\n${table}\n`)
    if (this.#folder === undefined) return
    mkdirSync(this.#folder, { recursive: true })
    const machine = { cpu: cpus()[0]?.model, cores: availableParallelism(), node: process.version }
    writeFileSync(
      join(this.#folder, 'faults.json'),
      `${JSON.stringify({ machine, faults: this.#lines }, null, 1)}\n`,
    )
    writeFileSync(join(this.#folder, 'faults.md'), table)
    process.stdout.write(`Kept as faults.json and faults.md in ${this.#folder}\n`)
  }

  printsToStdio(): boolean {
    return false
  }
}

function markdown(lines: Line[]): string {
  const cell = (value: number | null | undefined) =>
    value === null || value === undefined ? '' : String(value)
  return [
    '| fault | held | runs | calls | lost | lasted s | recovered s | notes |',
    '|---|---|---|---|---|---|---|---|',
    ...lines.map(
      l =>
        `| ${l.fault} | ${l.passed ? 'yes' : '**NO**'} | ${cell(l.runs)} | ${cell(l.calls)} | ${cell(l.lost)} | ${cell(l.lasted_s)} | ${cell(l.recovered_s)} | ${(l.notes ?? []).join('; ')} |`,
    ),
    '',
  ].join('\n')
}
