import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'
import { parseArgs } from 'node:util'
import { Stack } from '../harness/stack.ts'
import { measureBurst } from './burst.ts'
import { measureDelay } from './delay.ts'

/**
 * `npm run bench -- --seconds 60 --jobs 1000 --jobs 5000`: how soon after its time a call arrives, on an idle system
 * and when many jobs are due at one instant. Prints a table and, as its last line, the same as JSON. It holds nothing:
 * numbers of a shared machine are for reading, not for failing.
 */

/** Bounds that are there to protect targets would be all that a burst measures. */
const LIMITS = {
  WORKLY_LIMIT_PROJECT_CALLS_IN_FLIGHT: '1000',
  WORKLY_LIMIT_HOST_CALLS_IN_FLIGHT: '1000',
}

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    jobs: { type: 'string', multiple: true, default: ['1000'] },
  },
})

function wholeNumber(text: string, name: string, max: number): number {
  if (/^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= max) return Number(text)
  console.error(`--${name} is "${text}"; a whole number from 1 to ${max} is allowed.`)
  process.exit(2)
}

const seconds = wholeNumber(values.seconds, 'seconds', 3_600)
const bursts = values.jobs.map(text => wholeNumber(text, 'jobs', 10_000))

const machine = {
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: availableParallelism(),
  memory_gib: Math.round(totalmem() / 2 ** 30),
  node: process.version,
  load_at_start: Number(loadavg()[0]?.toFixed(2)),
}

const env = { ...LIMITS, ...Object.fromEntries(Object.entries(process.env).filter(isLimit)) }

function isLimit(entry: [string, string | undefined]): entry is [string, string] {
  return entry[0].startsWith('WORKLY_LIMIT_') && entry[1] !== undefined
}

console.log(`${machine.cpu}, ${machine.cores} cores, Node ${machine.node}, load ${machine.load_at_start}`)
for (const [name, value] of Object.entries(env)) console.log(`${name}=${value}`)

const stack = await Stack.start({ env })
let isRemoved: Promise<void> | undefined
const remove = () => {
  isRemoved ??= stack.remove()
  return isRemoved
}
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => remove().finally(() => process.exit(1)))

try {
  const delay = await measureDelay(stack, seconds)
  const burst = []
  for (const jobs of bursts) burst.push(await measureBurst(stack, jobs))
  console.log(
    `\nFrom the due instant to the arrival at the target, in milliseconds (${seconds} calls, one each second)`,
  )
  console.table([delay])
  console.log('\nJobs due at one instant, in milliseconds after it')
  console.table(burst)
  console.log(JSON.stringify({ machine, limits: env, delay, burst }))
} finally {
  await remove()
}
