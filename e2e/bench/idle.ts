import { setTimeout as delay } from 'node:timers/promises'
import { createSql } from '@workly/db'
import { groundOf } from '../harness/ground.ts'
import { Stack } from '../harness/stack.ts'
import { atEnd } from './ending.ts'
import type { Figure } from './figure.ts'
import { percentiles, round } from './percentiles.ts'
import { cpuSeconds, memoryMib, peakMemoryMib } from './throughput/cpu.ts'
import { Rig } from './throughput/rig.ts'
import { seed } from './throughput/seed.ts'
import { askedSince, forgetStatements, STATEMENT_SETTINGS } from './throughput/statements.ts'

const PROJECTS = 50
/** Until a worker that has just started has done what it does at its start. */
const SETTLE_MS = 15_000

/** A worker on many jobs of which none is due: what it holds and uses, and what it asks of PostgreSQL. */
export async function measureIdle(jobs: number, seconds: number): Promise<Figure[]> {
  const rig = await Rig.start(STATEMENT_SETTINGS)
  try {
    await seed(rig.services, jobs, PROJECTS, rig.targetUrl)
    const worker = await rig.startWorker({})
    try {
      await delay(SETTLE_MS)
      await forgetStatements(rig.services.sql)
      const before = [cpuSeconds(worker.pid), cpuSeconds(rig.postgres.pid)] as const
      const held: number[] = []
      const from = performance.now()
      while (performance.now() < from + seconds * 1_000) {
        await delay(500)
        held.push(memoryMib(worker.pid) ?? Number.NaN)
      }
      const passed = (performance.now() - from) / 1_000
      const share = (used: number) => round((used / passed) * 100, 100)
      const asked = await askedSince(rig.services.sql)
      const bench = 'idle'
      const of = `${jobs} jobs, none due`
      return [
        {
          bench,
          figure: `worker's memory, ${of}`,
          value: percentiles(held).p50,
          unit: 'MiB',
          must: '≤ 200',
          aim: '≤ 120',
          note: `peak ${peakMemoryMib(worker.pid)}`,
        },
        {
          bench,
          figure: `worker's processor time, ${of}`,
          value: share(cpuSeconds(worker.pid) - before[0]),
          unit: '%',
          must: '≤ 1',
          aim: '≤ 0.3',
        },
        {
          bench,
          figure: `PostgreSQL's processor time, ${of}`,
          value: share(cpuSeconds(rig.postgres.pid) - before[1]),
          unit: '%',
        },
        { bench, figure: `queries a second, ${of}`, value: round(asked / passed), unit: '/s' },
      ]
    } finally {
      await worker.end()
    }
  } finally {
    await rig.remove()
  }
}

/** What `npm start` holds, uses and asks for when it has nothing to do: console, API and worker, and PostgreSQL. */
export async function measureStandalone(seconds: number): Promise<Figure[]> {
  const starting = Stack.start()
  const remove = atEnd(async () => (await starting).remove())
  const stack = await starting
  try {
    await countStatements(stack)
    const sql = createSql(groundOf(stack).databaseUrl, { max: 1, name: 'workly bench' })
    const worker = await stack.workerPid()
    const pids = [stack.pid, worker, stack.postgresPid()]
    await delay(SETTLE_MS)
    await forgetStatements(sql)
    const from = performance.now()
    const before = pids.map(cpuSeconds)
    await delay(seconds * 1_000)
    const passed = (performance.now() - from) / 1_000
    const used = pids.map((pid, n) => round(((cpuSeconds(pid) - (before[n] ?? 0)) / passed) * 100, 100))
    const asked = await askedSince(sql)
    await sql.end()
    const bench = 'standalone'
    const held = (figure: string, pid: number, n: number): Figure => ({
      bench,
      figure,
      value: memoryMib(pid),
      unit: 'MiB',
      note: `${used[n]} % of a processor`,
    })
    return [
      held('console and API, idle', stack.pid, 0),
      held('worker, idle', worker, 1),
      {
        bench,
        figure: 'queries a second, idle',
        value: round(asked / passed),
        unit: '/s',
        note: `PostgreSQL ${used[2]} % of a processor`,
      },
    ]
  } finally {
    await remove()
  }
}

/** Starts it once more, with the part of PostgreSQL that counts statements. */
async function countStatements(stack: Stack): Promise<void> {
  const sql = createSql(groundOf(stack).databaseUrl, { max: 1, name: 'workly bench' })
  for (const [name, value] of Object.entries(STATEMENT_SETTINGS))
    await sql.unsafe(`alter system set ${name} = '${value}'`)
  await sql.end()
  await stack.stop()
  await stack.start()
}
