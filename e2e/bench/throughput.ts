import { availableParallelism, cpus, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { endAll } from './ending.ts'
import type { Measured } from './throughput/account.ts'
import { Rig } from './throughput/rig.ts'
import { seed } from './throughput/seed.ts'
import { measureBare, measureWorkly } from './throughput/sides.ts'
import {
  forgetStatements,
  longestStatements,
  STATEMENT_SETTINGS,
  tableWrites,
} from './throughput/statements.ts'

/**
 * `npm run bench -- throughput --jobs 10000 --projects 50 --rounds 3`: runs finished a second when many jobs are due at
 * one instant, each call signed, guarded and recorded, beside graphile-worker and undici alone, which make the same
 * POSTs and record nothing. Both sides in turn on one PostgreSQL that waits for its disk, and one target. Prints a
 * table and, as its last line, the same as JSON.
 */

const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '10000' },
    projects: { type: 'string', default: '50' },
    rounds: { type: 'string', default: '3' },
    concurrency: { type: 'string', default: '300' },
    bounds: { type: 'string', default: '100000' },
    /** Without the other side. */
    alone: { type: 'boolean', default: false },
    /** Tells which statements took longest. */
    statements: { type: 'boolean', default: false },
    /** A flag for the worker's Node, such as --cpu-prof. */
    node: { type: 'string', multiple: true, default: [] },
  },
})

function wholeNumber(name: 'jobs' | 'projects' | 'rounds' | 'concurrency' | 'bounds', max: number): number {
  const text = values[name]
  if (/^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= max) return Number(text)
  console.error(`--${name} is "${text}"; a whole number from 1 to ${max} is allowed.`)
  process.exit(2)
}

const jobs = wholeNumber('jobs', 100_000)
const projects = wholeNumber('projects', Math.min(jobs, 1_000))
const rounds = wholeNumber('rounds', 20)
const concurrency = wholeNumber('concurrency', 10_000)
const bounds = String(wholeNumber('bounds', 1_000_000))

/** The operator's settings: bounds that are there to protect targets would be all that is measured. */
const settings = {
  WORKLY_LIMIT_PROJECT_CALLS_IN_FLIGHT: bounds,
  WORKLY_LIMIT_HOST_CALLS_IN_FLIGHT: bounds,
  WORKLY_WORKER_CONCURRENCY: String(concurrency),
}
const machine = {
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: availableParallelism(),
  node: process.version,
  load_at_start: Number(loadavg()[0]?.toFixed(2)),
}
console.log(`${machine.cpu}, ${machine.cores} cores, Node ${machine.node}, load ${machine.load_at_start}`)
for (const [name, value] of Object.entries(settings)) console.log(`${name}=${value}`)

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void endAll().finally(() => process.exit(130)))

const rig = await Rig.start(values.statements ? STATEMENT_SETTINGS : {})
try {
  await seed(rig.services, jobs, projects, rig.targetUrl)
  await rig.services.sql`create database bare`.simple()
  const bareUrl = rig.postgres.urlOf('bare')
  const bareSql = rig.open(bareUrl)
  const measured: (Measured & { side: string })[] = []
  for (let round = 1; round <= rounds; round++) {
    if (values.statements) await forgetStatements(rig.services.sql)
    const workly = await measureWorkly(rig, jobs, settings, values.node)
    measured.push({ side: 'workly', ...workly })
    if (values.statements) {
      console.table(await longestStatements(rig.services.sql, jobs))
      console.table(await tableWrites(rig.services.sql))
    }
    if (values.alone) continue
    const bare = await measureBare(rig, bareSql, bareUrl, jobs, concurrency)
    measured.push({ side: 'bare', ...bare })
  }
  console.table(measured)
  const best = (side: string) => Math.max(...measured.filter(m => m.side === side).map(m => m.per_second))
  const ratio = values.alone ? null : Math.round((best('workly') / best('bare')) * 1_000) / 1_000
  console.log(JSON.stringify({ machine, settings, jobs, projects, measured, ratio }))
} finally {
  await endAll()
}
