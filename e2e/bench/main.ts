import { parseArgs } from 'node:util'
import { within } from '../harness/until.ts'
import { type Asked, BENCHES, type Bench } from './benches.ts'
import { endAll } from './ending.ts'
import { type Figure, judge } from './figure.ts'
import { printReport, type Report, readMachine, table, writeReport } from './report.ts'

/**
 * `npm run bench`, or some of it by name: `npm run bench -- lists claim --small`. Each bench prints its figures beside
 * what they must be; at the end stand one table of all and, as the last line, the same as JSON, which are left as
 * `bench.md` and `bench.json`. A figure that misses its bound fails nothing, since numbers of a shared machine are for
 * reading; one that could not be measured makes the exit code 1. Whatever was started is stopped at the end, also when
 * a bench fails or is interrupted. `npm run bench -- throughput --statements` and the like are a program of its own
 * (throughput.ts).
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '60' },
    jobs: { type: 'string', multiple: true, default: ['1000', '5000'] },
    small: { type: 'boolean', default: false },
    store: { type: 'string' },
    /** The folder for bench.json and bench.md. */
    out: { type: 'string', default: '.' },
  },
})

function wholeNumber(text: string, name: string, max: number): number {
  if (/^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= max) return Number(text)
  return refuse(`--${name} is "${text}"; a whole number from 1 to ${max} is allowed.`)
}

function refuse(message: string): never {
  console.error(message)
  process.exit(2)
}

const unknown = positionals.find(name => !Object.hasOwn(BENCHES, name))
if (unknown !== undefined) refuse(`There is no bench "${unknown}": ${Object.keys(BENCHES).join(', ')}.`)
const chosen = Object.entries(BENCHES).filter(
  ([name]) => positionals.length === 0 || positionals.includes(name),
)
const asked: Asked = {
  small: values.small,
  seconds: values.small ? 10 : wholeNumber(values.seconds, 'seconds', 3_600),
  bursts: values.small ? [500] : values.jobs.map(text => wholeNumber(text, 'jobs', 10_000)),
  store: values.store,
}

let isStopping = false
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (isStopping) return
    isStopping = true
    console.error('Stopping what was started.')
    void endAll().finally(() => process.exit(130))
  })
}

const machine = readMachine()
console.log(`${machine.cpu}, ${machine.cores} cores, Node ${machine.node}, load ${machine.load_at_start}`)
const report: Report = { machine, raised: {}, small: asked.small, seconds: {}, figures: [] }
for (const [name, bench] of chosen) {
  console.log(`\n${name}: at most ${bench.minutes} minutes`)
  for (const [setting, value] of Object.entries(bench.raised ?? {})) console.log(`${setting}=${value}`)
  if (bench.raised) report.raised[name] = { ...bench.raised }
  const from = performance.now()
  const figures = (await measure(name, bench)).map(judge)
  if (isStopping) break
  report.seconds[name] = Math.round((performance.now() - from) / 1_000)
  report.figures.push(...figures)
  console.log(table(figures))
  for (const figure of figures) console.log(JSON.stringify(figure))
}

/** What could not be measured is a figure too, without a value; what it had started is ended. */
async function measure(name: string, bench: Bench): Promise<Figure[]> {
  try {
    return await within(`${name} is measured`, bench.minutes * 60_000, bench.measure(asked))
  } catch (error) {
    if (isStopping) return []
    console.error(error)
    await endAll()
    const note = `not measured: ${error instanceof Error ? error.message.split('\n', 1)[0] : String(error)}`
    return [{ bench: name, figure: name, value: null, unit: '', note }]
  }
}

if (!isStopping) {
  await endAll()
  console.log('')
  writeReport(report, values.out)
  printReport(report)
  process.exitCode = report.figures.some(figure => figure.value === null) ? 1 : 0
}
