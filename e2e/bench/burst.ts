import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from '../harness/client.ts'
import type { Stack } from '../harness/stack.ts'
import { Target } from '../harness/target.ts'
import { until } from '../harness/until.ts'
import { percentiles, round } from './percentiles.ts'

/** Milliseconds after the instant at which all jobs were due. */
export interface Burst {
  jobs: number
  first: number
  p50: number
  p99: number
  /** The last call's arrival. */
  last: number
  /** Calls a second from the first to the last. */
  per_second: number
  /** When the last run was recorded as succeeded, to about 100 ms. */
  all_recorded: number
  /** Calls above one a job. */
  repeated: number
}

const CREATORS = 8
/** Jobs made to learn how long making one takes here. */
const SAMPLE = 100
/** How much longer than the sample says making them all may take. */
const RESERVE = 1.5
const MARGIN_MS = 5_000

/** Jobs that are all due once, at the same instant, on one target. */
export async function measureBurst(stack: Stack, jobs: number): Promise<Burst> {
  const target = await Target.start()
  try {
    const makingMs = jobs * (await millisecondsToMakeOne(stack.api)) * RESERVE + MARGIN_MS
    const due = Math.ceil((Date.now() + makingMs) / 1_000) * 1_000
    const names = Array.from({ length: jobs }, (_, n) => `bench-burst-${jobs}-${n}`)
    await createAll(stack.api, names, { at: new Date(due).toISOString(), url: target.url('/') })
    if (Date.now() > due - 1_000)
      throw new Error(`${jobs} jobs could not be made in time; this machine is too busy.`)

    await target.received(jobs, '/', due - Date.now() + 300_000)
    await until(
      'every run is recorded',
      () => openRuns(stack.api),
      open => open === 0,
      300_000,
    )
    const recorded = Date.now() - due
    const arrivals = target.calls.map(call => call.at - due).sort((a, b) => a - b)
    const first = arrivals[0] ?? Number.NaN
    const last = arrivals.at(-1) ?? Number.NaN
    const { p50, p99 } = percentiles(arrivals)
    return {
      jobs,
      first: round(first),
      p50,
      p99,
      last: round(last),
      per_second: Math.round((jobs / (last - first)) * 1_000),
      all_recorded: recorded,
      repeated: target.calls.length - new Set(target.calls.map(call => call.headers['workly-run-id'])).size,
    }
  } finally {
    await target.close()
  }
}

async function millisecondsToMakeOne(api: Client): Promise<number> {
  const names = Array.from({ length: SAMPLE }, (_, n) => `bench-sample-${n}`)
  const from = performance.now()
  await createAll(api, names, { cron: '0 3 1 1 *', url: 'https://api.example.com/' })
  const took = performance.now() - from
  for (const name of names) await api.deleteJob(name)
  // A key may make 100 requests a second after a first burst.
  return Math.max(10, took / SAMPLE)
}

/** Creates jobs as fast as the key may; a 429 is waited out as its Retry-After says. */
async function createAll(api: Client, names: string[], settings: Record<string, unknown>): Promise<void> {
  const left = [...names]
  const creator = async () => {
    for (let name = left.pop(); name !== undefined; ) {
      const { status, headers, body } = await api.call('PUT', `/v1/jobs/${name}`, settings)
      if (status === 429) {
        await delay(Number(headers.get('retry-after') ?? '1') * 1_000)
        continue
      }
      if (status !== 201) throw new Error(`PUT ${name}: ${status} ${JSON.stringify(body)}`)
      name = left.pop()
    }
  }
  await Promise.all(Array.from({ length: CREATORS }, creator))
}

async function openRuns(api: Client): Promise<number> {
  const answers = await Promise.all(
    ['pending', 'running'].map(state =>
      api.call<{ data: unknown[] }>('GET', `/v1/runs?state=${state}&limit=1`),
    ),
  )
  return answers.reduce((sum, { body }) => sum + body.data.length, 0)
}
