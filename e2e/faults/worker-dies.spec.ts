import { Gate } from '../harness/gate.ts'
import { ended, signal } from '../harness/processes.ts'
import { expect, test } from '../harness/test.ts'

// A worker killed in the middle of a call is found dead by its lease of 15 s; everything goes on within 30 s.
const GOES_ON_WITHIN_MS = 30_000

test('a run whose worker is killed in the middle of its call goes on within 30 seconds', async ({
  stack,
  api,
  target,
}) => {
  const gate = new Gate()
  target.reply = gate.holdFirstAttempts({ status: 200, body: 'done' })
  // One attempt only: the lost one does not count against it.
  await api.putJob('cut-off', { cron: '0 3 * * *', url: target.url('/cut-off'), max_attempts: 1 })
  const { id } = await api.trigger('cut-off')
  await target.received(1, '/cut-off')

  const killed = await stack.workerPid()
  signal(killed, 'SIGKILL')
  const killedAt = performance.now()
  await ended([killed])
  await target.received(2, '/cut-off', GOES_ON_WITHIN_MS - (performance.now() - killedAt))
  const run = await api.ended(id)

  expect(run).toMatchObject({
    state: 'succeeded',
    error: null,
    attempts: [
      { number: 1, state: 'lost', error: { class: 'lost' }, response: null },
      { number: 2, state: 'succeeded', response: { status: 200, body: 'done' } },
    ],
  })
  expect(target.to('/cut-off').map(call => call.headers['workly-attempt'])).toEqual(['1', '2'])
  expect(await stack.workerPid()).not.toBe(killed)

  // The first call's answer finds nobody, and changes nothing.
  gate.open()
  const next = await api.ended((await api.trigger('cut-off')).id)
  expect(next.state).toBe('succeeded')
  expect(await api.run(id)).toEqual(run)
})

test('a run goes on within 30 seconds though every worker is killed before it has lived for a lease', async ({
  stack,
  api,
  target,
}) => {
  const gate = new Gate()
  target.reply = gate.holdFirstAttempts({ status: 200, body: 'done' })
  await api.putJob('cut-off', { cron: '0 3 * * *', url: target.url('/again'), max_attempts: 1 })
  const { id } = await api.trigger('cut-off')
  await target.received(1, '/again')
  const diedAt = performance.now()
  let goesOn = false
  const next = target.received(2, '/again', GOES_ON_WITHIN_MS).then(() => {
    goesOn = true
  })
  let killed = 0
  while (!goesOn && performance.now() - diedAt < GOES_ON_WITHIN_MS) {
    const worker = await stack.workerPid()
    // As it comes up: it never lives for the 15 s of a lease.
    await Promise.race([next, new Promise(resolve => setTimeout(resolve, killed === 0 ? 0 : 4_000))])
    if (goesOn) break
    signal(worker, 'SIGKILL')
    killed += 1
    await ended([worker])
  }
  await next
  expect(killed).toBeGreaterThan(1)
  gate.open()
  const run = await api.ended(id)
  expect(run.state).toBe('succeeded')
})
