import { writeFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'
import { join } from 'node:path'
import type { JudgedFigure } from './figure.ts'

/** What the figures were measured on. */
export interface Machine {
  cpu: string
  cores: number
  memory_gib: number
  node: string
  /** Of the last minute, so 0 of a machine to itself. */
  load_at_start: number
}

export function readMachine(): Machine {
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memory_gib: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    load_at_start: Number(loadavg()[0]?.toFixed(2)),
  }
}

/** All that one call of the bench found. */
export interface Report {
  machine: Machine
  /** The operator's settings that each bench raises, by its name. */
  raised: Record<string, Record<string, string>>
  small: boolean
  /** Seconds that each bench took, by its name. */
  seconds: Record<string, number>
  figures: JudgedFigure[]
}

const COLUMNS = ['bench', 'figure', 'value', 'unit', 'must', 'aim', 'pass', 'note'] as const

/** Prints one table of all figures and, as the last line, the report as JSON. */
export function printReport(report: Report): void {
  console.log(table(report.figures))
  console.log(JSON.stringify(report))
}

/** Leaves the report as `bench.json` and `bench.md` in a folder. */
export function writeReport(report: Report, folder: string): void {
  writeFileSync(join(folder, 'bench.json'), `${JSON.stringify(report, null, 2)}\n`)
  writeFileSync(join(folder, 'bench.md'), markdown(report))
}

/** The figures as a Markdown table whose columns stand under each other. */
export function table(figures: JudgedFigure[]): string {
  const rows = figures.map(figure => [
    figure.bench,
    figure.figure,
    String(figure.value ?? 'not measured'),
    figure.unit,
    figure.must ?? '',
    figure.aim ?? '',
    verdict(figure),
    figure.note ?? '',
  ])
  const widths = COLUMNS.map((name, n) => Math.max(name.length, ...rows.map(row => row[n]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, n) => cell.padEnd(widths[n] ?? 0)).join(' | ')} |`
  return [line(COLUMNS), `|${widths.map(width => '-'.repeat(width + 2)).join('|')}|`, ...rows.map(line)].join(
    '\n',
  )
}

function verdict({ value, pass, aim_reached }: JudgedFigure): string {
  if (value === null) return 'no'
  if (pass === null) return ''
  if (!pass) return 'NO'
  return aim_reached === false ? 'yes, aim missed' : 'yes'
}

function markdown({ machine, raised, small, seconds, figures }: Report): string {
  const settings = Object.entries(raised).flatMap(([bench, values]) =>
    Object.entries(values).map(([name, value]) => `- ${bench}: \`${name}=${value}\``),
  )
  const took = Object.values(seconds).reduce((sum, one) => sum + one, 0)
  return [
    '# Figures',
    '',
    `${machine.cpu}, ${machine.cores} cores, ${machine.memory_gib} GiB, Node ${machine.node}, load ${machine.load_at_start} at the start.`,
    `${small ? 'Small sizes (`--small`), which say nothing of the bounds. ' : ''}Measured in ${Math.round(took)} seconds.`,
    '',
    table(figures),
    '',
    'Settings of the operator that were raised:',
    '',
    ...(settings.length > 0 ? settings : ['- none']),
    '',
  ].join('\n')
}
