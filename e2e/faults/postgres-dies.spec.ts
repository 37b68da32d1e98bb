import { Gate } from '../harness/gate.ts'
import { ended, signal } from '../harness/processes.ts'
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
