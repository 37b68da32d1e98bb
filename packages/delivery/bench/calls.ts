/**
 * Calls per second over kept-alive loopback HTTP, HttpCaller against undici's own agent. Run: node bench/calls.ts
 * The target is a process of its own; rounds alternate, so that the machine's mood falls on both alike.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { parseCidrs } from '@workly/core'
import { Agent } from 'undici'
import { HttpCaller } from '../src/index.ts'

const CALLS = 20_000
const AT_ONCE = 50
const ROUNDS = 5
const headers = {
  'Content-Type': 'application/json',
  'Workly-Run-Id': 'run_01jd9z7q3m8kxxxxxxxxxxxxxx',
  'Workly-Schedule': 'nightly-report',
  'Workly-Scheduled-For': '2026-12-01T03:00:00Z',
  'Workly-Attempt': '1',
  'Workly-Timestamp': '1796000000',
  'Workly-Signature': 'v1,n0/g3KJxHb7TYF9wK+UPpNv5yM48TgtaKoxuDMvfpwM=',
  'User-Agent': 'Workly/bench',
}
const body = Buffer.from(JSON.stringify({ kind: 'daily', n: 1 }))

if (process.argv[2] === 'target') await serve()
else await compare()

async function serve(): Promise<void> {
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => response.end('{"ok":true}'))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  process.send?.(server.address())
  process.on('disconnect', () => process.exit())
}

interface Round {
  perSecond: number
  /** CPU of this process per call, in microseconds: what counts when the target's core is the narrow place. */
  cpu: number
}

async function round(call: () => Promise<unknown>): Promise<Round> {
  let left = CALLS
  const one = async () => {
    while (left-- > 0) await call()
  }
  const began = performance.now()
  const cpu = process.cpuUsage()
  await Promise.all(Array.from({ length: AT_ONCE }, one))
  const { user, system } = process.cpuUsage(cpu)
  return { perSecond: (CALLS * 1000) / (performance.now() - began), cpu: (user + system) / CALLS }
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

interface Caller {
  name: string
  call: () => Promise<unknown>
  rounds: Round[]
}

function report(callers: Caller[]): void {
  console.log(`Medians of ${ROUNDS} rounds of ${CALLS} calls, ${AT_ONCE} at once:`)
  let first: { rate: number; cpu: number } | undefined
  for (const { name, rounds } of callers) {
    const [rate, cpu] = [median(rounds.map(r => r.perSecond)), median(rounds.map(r => r.cpu))]
    first ??= { rate, cpu }
    const ratios = `${(rate / first.rate).toFixed(2)} of the rate, ${(cpu / first.cpu).toFixed(2)} of the CPU`
    console.log(`${name}: ${Math.round(rate)} calls/s, ${cpu.toFixed(1)} µs of CPU a call (${ratios})`)
  }
}

async function compare(): Promise<void> {
  const target = fork(import.meta.filename, ['target'])
  const [{ port }] = (await once(target, 'message')) as [{ port: number }]
  const agent = new Agent({ connections: null, allowH2: false })
  const caller = new HttpCaller({
    allowedPrivate: parseCidrs('127.0.0.0/8'),
    allowHttp: true,
    resolver: { resolve: async () => ['127.0.0.1'] },
    userAgent: 'Workly/bench',
  })
  const bare = async () => {
    const response = await agent.request({
      origin: `http://127.0.0.1:${port}`,
      path: '/hook',
      method: 'POST',
      headers,
      body,
    })
    await response.body.arrayBuffer()
  }
  const ours = (host: string) => async () => {
    const url = `http://${host}:${port}/hook`
    const result = await caller.call(
      { url, method: 'POST', headers, body, timeoutMs: 30_000, scope: 'prj' },
      0,
    )
    if (result.class !== 'ok') throw new Error(result.message ?? result.class)
  }
  const callers: Caller[] = [
    { name: 'undici', call: bare, rounds: [] },
    { name: 'HttpCaller', call: ours('127.0.0.1'), rounds: [] },
    { name: 'HttpCaller, by name', call: ours('target.test'), rounds: [] },
  ]
  for (const { call } of callers) await round(call) // warming up
  for (let n = 0; n < ROUNDS; n++) for (const { call, rounds } of callers) rounds.push(await round(call))
  report(callers)
  await caller.close()
  await agent.close()
  target.disconnect()
}
