import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { Gate } from '../harness/gate.ts'
import { ended, signal } from '../harness/processes.ts'
import type { Stack } from '../harness/stack.ts'
import { expect, test } from '../harness/test.ts'
import { until } from '../harness/until.ts'

test('when PostgreSQL is killed Workly starts it again, and no run is lost', async ({
  stack,
  api,
  target,
}) => {
  const gate = new Gate()
  target.reply = call => (call.path === '/held' ? gate.holdFirstAttempts({ body: 'kept' })(call) : {})
  await api.putJob('held', { cron: '0 3 * * *', url: target.url('/held') })
  await api.putJob('each-second', {
    cron: '* * * * * *',
    dialect: 'extended',
    overlap: 'allow',
    url: target.url('/each-second'),
  })
  const { id } = await api.trigger('held')
  await target.received(1, '/held')
  await target.received(2, '/each-second')

  const killed = stack.postgresPid()
  const worker = await stack.workerPid()
  signal(killed, 'SIGKILL')
  await ended([killed])
  const before = target.to('/each-second').length
  // The call's answer comes while there is nobody to write it to.
  gate.open()
  await until(
    'the API serves again',
    () => api.call('GET', '/v1/jobs/held').catch(() => ({ status: 0 })),
    answer => answer.status === 200,
  )

  await target.received(before + 5, '/each-second', 40_000)
  await api.pause('each-second')
  expect(stack.postgresPid()).not.toBe(killed)
  expect(await api.ended(id)).toMatchObject({
    state: 'succeeded',
    attempts: [{ number: 1, state: 'succeeded', response: { body: 'kept' } }],
  })
  expect(await stack.workerPid()).toBe(worker)

  // Every second has its run, those of the outage too, and each of them was called.
  const runs = await until(
    'every run has ended',
    () => api.runs('each-second'),
    seen => seen.every(run => run.state === 'succeeded'),
  )
  const due = runs.map(run => Date.parse(run.scheduled_for)).reverse()
  const first = due[0] ?? 0
  expect(due).toEqual(due.map((_, index) => first + index * 1_000))
  const called = new Set(target.to('/each-second').map(call => call.headers['workly-run-id']))
  expect([...called].sort()).toEqual(runs.map(run => run.id).sort())
})

/** Takes the port, trying until it is free or PostgreSQL has it again. */
async function takePort(stack: Stack, port: number, killed: number): Promise<Server | null> {
  for (;;) {
    const server = createServer(socket => socket.destroy())
    const took = await new Promise<boolean>(resolve => {
      server.once('error', () => resolve(false))
      server.listen({ host: '127.0.0.1', port, exclusive: true }, () => resolve(true))
    })
    if (took) return server
    const now = stack.postgresPid()
    if (now !== 0 && now !== killed) return null
  }
}

test('when it has to come back on another port, API and worker go there', async ({ stack, api, target }) => {
  const port = () => Number(readFileSync(join(stack.dataDir, 'postgres/cluster/port'), 'utf8'))
  await api.putJob('before', { cron: '0 3 * * *', url: target.url('/before') })
  const worker = await stack.workerPid()
  const from = port()
  let other: Server | null = null
  // PostgreSQL may be quicker, and have its port again: then once more.
  while (other === null) {
    const killed = stack.postgresPid()
    signal(killed, 'SIGKILL')
    other = await takePort(stack, from, killed)
  }
  try {
    await until(
      'the API serves again',
      () => api.call('GET', '/v1/jobs/before').catch(() => ({ status: 0 })),
      answer => answer.status === 200,
    )
    expect(port()).not.toBe(from)
    const { id } = await api.trigger('before')
    await target.received(1, '/before', 30_000)
    expect(await api.ended(id)).toMatchObject({ state: 'succeeded' })
    expect(await stack.workerPid()).not.toBe(worker)
  } finally {
    other.close()
  }
})
