import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { Fleet } from '../../harness/fleet/fleet.ts'
import { answer } from '../../harness/fleet/fleet-target.ts'
import { Load } from '../../harness/fleet/load.ts'
import { expect, test } from '../../harness/fleet/test.ts'

/** As many runs as a busy customer has in a day. */
const RUNS = Number(process.env.FAULTS_SOAK_RUNS ?? 100_000)
const JOBS = 150
const SAMPLE_MS = 5_000

test.use({
  fleetOptions: {
    env: {
      WORKLY_LIMIT_PROJECT_CALLS_IN_FLIGHT: '300',
      WORKLY_LIMIT_HOST_CALLS_IN_FLIGHT: '300',
      WORKLY_LIMIT_REQUESTS_PER_SECOND: '1000',
      WORKLY_LIMIT_REQUEST_BURST: '1000',
    },
  },
})

/** Resident memory in MiB (proc(5), status). */
function residentMiB(pid: number): number {
  const kib = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kib) / 1_024
}

/** The least-squares slope, per 100 samples' worth of x. */
function slope(points: { x: number; y: number }[]): number {
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const [mx, my] = [mean(points.map(p => p.x)), mean(points.map(p => p.y))]
  const up = points.reduce((sum, p) => sum + (p.x - mx) * (p.y - my), 0)
  return up / points.reduce((sum, p) => sum + (p.x - mx) ** 2, 0)
}

interface Sample {
  name: string
  x: number
  y: number
}

function sample(fleet: Fleet, runs: number): Sample[] {
  const members = [...fleet.workers, ...fleet.apis]
  return members.map((m, n) => ({ name: `${m.kind} ${n % 2}`, x: runs / 1_000, y: residentMiB(m.pid) }))
}

test('a day of 100,000 runs in minutes, with flat memory', async ({ fleet, fault }) => {
  test.setTimeout(2_400_000)
  const load = await Load.start(fleet, {
    name: 'soak',
    jobs: JOBS,
    behave: (call, response) => answer(call, response),
  })
  const samples: Sample[] = []
  const from = performance.now()
  let turn = 0
  while (load.target.calls.length < RUNS) {
    samples.push(...sample(fleet, load.target.calls.length))
    // The APIs are asked too.
    await fleet.client(turn).call('GET', '/v1/runs?limit=50')
    await fleet.client(turn + 1).call('GET', `/v1/jobs/${load.names[turn % JOBS]}`)
    turn++
    await delay(SAMPLE_MS)
  }
  const seconds = (performance.now() - from) / 1_000
  for (const [name, all] of Map.groupBy(samples, seen => seen.name)) {
    // The first third is warming up.
    const points = all.slice(Math.floor(all.length / 3))
    const perThousand = slope(points)
    fault.note(
      `${name}: ${Math.round(points.at(-1)?.y ?? 0)} MiB, ${perThousand.toFixed(2)} MiB per 1,000 runs`,
    )
    // A day's leak of 100 MiB would show; what the garbage collector leaves lying about does not.
    expect(perThousand, `${name} keeps its memory`).toBeLessThan(1)
  }
  fault.note(`${Math.round(load.target.calls.length / seconds)} runs/s`)
  const outcome = await load.check()
  fault.take(outcome)
  fault.measured.recovered_s = null
  expect(outcome.runs.length).toBeGreaterThanOrEqual(RUNS)
})
