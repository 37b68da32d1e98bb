import { fileURLToPath } from 'node:url'
import type { Sql } from '@workly/db'
import { createApiKey } from '@workly/services'
import { Pool } from 'undici'
import type { Figure } from './figure.ts'
import { percentiles, round } from './percentiles.ts'
import { Child } from './throughput/child.ts'
import { cpuSeconds } from './throughput/cpu.ts'
import { Rig } from './throughput/rig.ts'
import { seed } from './throughput/seed.ts'

const JOBS = 1_000
const CALLERS = 16
const WARM_UP_SECONDS = 3

/** The rate that a key is held to would be all that is measured. */
export const GET_SETTINGS = {
  WORKLY_LIMIT_REQUESTS_PER_SECOND: '1000000',
  WORKLY_LIMIT_REQUEST_BURST: '1000000',
}

interface Side {
  process: Child
  ask: (name: string) => { path: string; headers: Record<string, string> }
  pool: Pool
  perSecond: number[]
  /** Milliseconds of the process's own time a request. */
  cpu: number[]
}

/**
 * GET of a job through the API, and the same SELECT through Hono and pg alone, in turn.
 *
 * @param nodeFlags for the API, such as `--cpu-prof`
 */
export async function measureGetJob(
  seconds: number,
  rounds: number,
  nodeFlags: string[] = [],
): Promise<Figure[]> {
  const rig = await Rig.start({ track_activity_query_size: '64kB' })
  try {
    const project = await seed(rig.services, JOBS, 1, rig.targetUrl)
    const { key } = await createApiKey(project, { name: 'bench', scope: 'read' })
    const [api, url] = await rig.startApi(GET_SETTINGS, nodeFlags)
    const ours = sideOf(api, url, name => ({
      path: `/v1/jobs/${name}`,
      headers: { authorization: `Bearer ${key}` },
    }))
    await ask(ours, 'job-1')
    const [bareApi, port] = await Child.start(
      [fileURLToPath(new URL('throughput/bare-api.ts', import.meta.url))],
      {
        DATABASE_URL: rig.postgres.url,
        STATEMENT: await readSelect(rig.services.sql),
        SCOPE: JSON.stringify([project.organizationId, project.projectId]),
      },
      line => /^\d+$/.test(line),
    )
    const bare = sideOf(bareApi, `http://127.0.0.1:${port}`, name => ({ path: `/jobs/${name}`, headers: {} }))
    const sides = [ours, bare]
    for (const side of sides) await load(side, WARM_UP_SECONDS)
    for (let turn = 0; turn < rounds; turn++) {
      for (const side of sides) {
        const { perSecond, cpu } = await load(side, seconds)
        side.perSecond.push(perSecond)
        side.cpu.push(cpu)
      }
    }
    for (const { pool, process } of sides) {
      await pool.close()
      await process.end()
    }
    return figuresOf(ours, bare)
  } finally {
    await rig.remove()
  }
}

function sideOf(process: Child, url: string, ask: Side['ask']): Side {
  return {
    process,
    ask,
    pool: new Pool(url, { connections: CALLERS, pipelining: 1 }),
    perSecond: [],
    cpu: [],
  }
}

async function ask({ pool, ask }: Side, name: string): Promise<void> {
  const { statusCode, body } = await pool.request({ method: 'GET', ...ask(name) })
  const text = await body.text()
  if (statusCode !== 200 || !text.includes(`"${name}"`)) throw new Error(`GET ${name}: ${statusCode} ${text}`)
}

async function load(side: Side, seconds: number): Promise<{ perSecond: number; cpu: number }> {
  const before = cpuSeconds(side.process.pid)
  const from = performance.now()
  const until = from + seconds * 1_000
  let asked = 0
  const caller = async () => {
    while (performance.now() < until) await ask(side, `job-${asked++ % JOBS}`)
  }
  await Promise.all(Array.from({ length: CALLERS }, caller))
  const passed = (performance.now() - from) / 1_000
  return { perSecond: asked / passed, cpu: ((cpuSeconds(side.process.pid) - before) / asked) * 1_000 }
}

/** The statement by which the API reads a job, as the connection that has just sent it tells it. */
async function readSelect(sql: Sql): Promise<string> {
  const [found] = await sql<{ query: string }[]>`
    select query from pg_stat_activity
    where application_name = 'workly api' and query ~ 'from jobs j\\s+join schedule_versions s' limit 1`
  if (!found) throw new Error('the statement by which the API reads a job was not found')
  return found.query
}

function figuresOf(ours: Side, bare: Side): Figure[] {
  const rate = (side: Side) => Math.round(percentiles(side.perSecond).p50)
  const cpu = (side: Side) => round(Math.min(...side.cpu), 1_000)
  const bench = 'get'
  return [
    {
      bench,
      figure: 'GET of a job a second ÷ the same SELECT through Hono and pg alone',
      value: round(rate(ours) / rate(bare), 100),
      unit: '×',
      must: '≥ 0.4',
      aim: '≥ 0.7',
      note: `${rate(ours)} ÷ ${rate(bare)} a second, medians of ${ours.perSecond.length} in turn, ${CALLERS} callers`,
    },
    {
      bench,
      figure: "the same by the servers' processor time a request, alone ÷ API",
      value: round(cpu(bare) / cpu(ours), 100),
      unit: '×',
      note: `${cpu(bare)} ms ÷ ${cpu(ours)} ms`,
    },
  ]
}
