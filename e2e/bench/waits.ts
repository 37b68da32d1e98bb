import { setTimeout as delay } from 'node:timers/promises'
import type { Figure } from './figure.ts'
import { percentiles, round } from './percentiles.ts'
import { untilTrue } from './throughput/armed.ts'
import { memoryMib } from './throughput/cpu.ts'
import { Rig } from './throughput/rig.ts'
import { makeDue, seed } from './throughput/seed.ts'
import { askedSince, forgetStatements, STATEMENT_SETTINGS } from './throughput/statements.ts'

const PROJECTS = 50
/** Until a worker that has just started has done what it does at its start. */
const SETTLE_MS = 15_000

/** What a worker that has nothing to do holds, in MiB, and asks of PostgreSQL, a second. */
interface AtRest {
  memory: number
  queries: number
}

/**
 * A worker beside very many open waits for callbacks, and the same without: a wait is to cost rows and nothing else. The
 * worker that has opened them holds what so many calls have left behind, so one that starts beside them is looked at too.
 */
export async function measureWaits(waits: number, seconds: number): Promise<Figure[]> {
  const rig = await Rig.start(STATEMENT_SETTINGS)
  try {
    const response = { callback: { max_wait_seconds: 604_800 } }
    await seed(rig.services, waits, PROJECTS, rig.targetUrl, { response })
    const { sql } = rig.services
    const first = await rig.startWorker({})
    const without = await atRest(rig, first.pid, seconds)
    await makeDue(sql, new Date())
    const open = async () => {
      const [row] = await sql<
        { n: number }[]
      >`select count(*)::int as n from attempts where state = 'waiting'`
      return row?.n ?? 0
    }
    await untilTrue('every call is accepted', async () => (await open()) === waits)
    const opened = await atRest(rig, first.pid, seconds)
    await first.end()
    const second = await rig.startWorker({})
    const beside = await atRest(rig, second.pid, seconds)
    const [left] = await sql<{ slots: number; tasks: number }[]>`
      select (select count(*)::int from runs where slot_host is not null) as slots,
        (select count(*)::int from graphile_worker._private_jobs) as tasks`
    if ((await open()) !== waits) throw new Error('a wait has ended meanwhile')
    return figures(waits, { without, opened, beside }, left ?? { slots: -1, tasks: -1 })
  } finally {
    await rig.remove()
  }
}

async function atRest(rig: Rig, pid: number, seconds: number): Promise<AtRest> {
  await delay(SETTLE_MS)
  await forgetStatements(rig.services.sql)
  const held: number[] = []
  const from = performance.now()
  while (performance.now() < from + seconds * 1_000) {
    await delay(500)
    held.push(memoryMib(pid) ?? Number.NaN)
  }
  const asked = await askedSince(rig.services.sql)
  return {
    memory: percentiles(held).p50,
    queries: round(asked / ((performance.now() - from) / 1_000)),
  }
}

function figures(
  waits: number,
  { without, opened, beside }: Record<'without' | 'opened' | 'beside', AtRest>,
  left: { slots: number; tasks: number },
): Figure[] {
  const bench = 'waits'
  return [
    {
      bench,
      figure: `memory of a worker that starts beside ${waits} open waits for callbacks, over one without`,
      value: round(beside.memory - without.memory),
      unit: 'MiB',
      must: '≤ 10',
      note: `${without.memory} without, ${beside.memory} beside; ${opened.memory} of the one that opened them`,
    },
    {
      bench,
      figure: `queries a second beside ${waits} open waits, over none`,
      value: round(beside.queries - without.queries),
      unit: '/s',
      must: '≤ 1',
      note: `${without.queries} without, ${beside.queries} beside`,
    },
    {
      bench,
      figure: `slots and tasks that ${waits} open waits hold`,
      value: left.slots + left.tasks,
      unit: '',
      must: '= 0',
    },
  ]
}
