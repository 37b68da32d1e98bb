import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'
import { parseArgs } from 'node:util'
import { Stack } from '../harness/stack.ts'
import { measureBurst } from './burst.ts'
import { measureClaim } from './claim.ts'
import { measureDelay } from './delay.ts'
import { type Figure, isWithin } from './figure.ts'
import { measureIdle, measureStandalone } from './idle.ts'
import { STORE_LIMITS, Store } from './large/store.ts'
import { measureLists } from './lists.ts'

/**
 * `npm run bench`, or some of it by name: `npm run bench -- lists claim --small`. Each prints its figures beside what
 * they must be; the last line is all of them as JSON. It holds nothing: numbers of a shared machine are for reading,
 * not for failing. `throughput` is a program of its own (throughput.ts).
 */

const NAMES = ['delay', 'burst', 'lists', 'claim', 'idle', 'standalone'] as const
type Name = (typeof NAMES)[number]

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '60' },
    jobs: { type: 'string', multiple: true, default: ['1000', '5000'] },
    /** Sizes that a laptop makes in a minute. */
    small: { type: 'boolean', default: false },
    /** A folder to keep the database of `lists` and `claim` in: filling it takes long. */
    store: { type: 'string' },
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

const isName = (text: string): text is Name => NAMES.some(name => name === text)
const unknown = positionals.find(text => !isName(text))
if (unknown !== undefined) refuse(`There is no bench "${unknown}": ${NAMES.join(', ')}, or throughput alone.`)
const asked = new Set(positionals.length > 0 ? positionals.filter(isName) : NAMES)
const seconds = values.small ? 10 : wholeNumber(values.seconds, 'seconds', 3_600)
const bursts = values.small ? [500] : values.jobs.map(text => wholeNumber(text, 'jobs', 10_000))
const size = values.small ? { jobs: 20_000, runs: 50_000 } : { jobs: 1_000_000, runs: 5_000_000 }
const idleJobs = values.small ? 5_000 : 100_000

/** Bounds that are there to protect targets would be all that a burst measures. */
const LIMITS = { WORKLY_LIMIT_PROJECT_CALLS_IN_FLIGHT: '1000', WORKLY_LIMIT_HOST_CALLS_IN_FLIGHT: '1000' }
const env = { ...LIMITS, ...Object.fromEntries(Object.entries(process.env).filter(isLimit)) }

function isLimit(entry: [string, string | undefined]): entry is [string, string] {
  return entry[0].startsWith('WORKLY_LIMIT_') && entry[1] !== undefined
}

const machine = {
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: availableParallelism(),
  memory_gib: Math.round(totalmem() / 2 ** 30),
  node: process.version,
  load_at_start: Number(loadavg()[0]?.toFixed(2)),
}
console.log(`${machine.cpu}, ${machine.cores} cores, Node ${machine.node}, load ${machine.load_at_start}`)
for (const [name, value] of Object.entries(env)) console.log(`${name}=${value}`)
if (asked.has('claim'))
  console.log(`claim: project and host calls in flight ${STORE_LIMITS.project_calls_in_flight}`)

const figures: Figure[] = []

async function onStack(): Promise<void> {
  const stack = await Stack.start({ env })
  const remove = () => stack.remove().finally(() => process.exit(1))
  process.once('SIGINT', remove).once('SIGTERM', remove)
  try {
    if (asked.has('delay')) {
      const { p50, p99 } = await measureDelay(stack, seconds)
      const figure = (name: string, value: number, must: string): Figure => ({
        bench: 'delay',
        figure: `${name} from the due instant to the arrival, idle`,
        value,
        unit: 'ms',
        must,
      })
      figures.push(figure('p50', p50, '≤ 30'), figure('p99', p99, '≤ 200'))
    }
    for (const jobs of asked.has('burst') ? bursts : []) {
      const { last, repeated, per_second } = await measureBurst(stack, jobs)
      figures.push({
        bench: 'burst',
        figure: `last arrival of ${jobs} jobs due at one instant`,
        value: last,
        unit: 'ms',
        ...(jobs === 5_000 && { must: '≤ 3000', aim: '≤ 1500' }),
        note: `${per_second} a second, ${repeated} repeated`,
      })
    }
  } finally {
    process.off('SIGINT', remove).off('SIGTERM', remove)
    await stack.remove()
  }
}

async function onStore(): Promise<void> {
  const store = await Store.open(size, values.store)
  try {
    if (asked.has('lists')) figures.push(...(await measureLists(store)))
    if (asked.has('claim')) figures.push(...(await measureClaim(store, size.jobs)))
  } finally {
    await store.close()
  }
}

if (asked.has('lists') || asked.has('claim')) await onStore()
if (asked.has('idle')) figures.push(...(await measureIdle(idleJobs, seconds)))
if (asked.has('standalone')) figures.push(...(await measureStandalone()))
if (asked.has('delay') || asked.has('burst')) await onStack()

const judged = figures.map(figure => ({ ...figure, holds: isWithin(figure.value, figure.must) }))
console.table(judged, ['bench', 'figure', 'value', 'unit', 'must', 'aim', 'holds', 'note'])
console.log(JSON.stringify({ machine, limits: env, sizes: { ...size, idleJobs }, figures: judged }))
