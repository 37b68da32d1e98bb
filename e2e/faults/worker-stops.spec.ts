import { Gate } from '../harness/gate.ts'
import { ended, signal } from '../harness/processes.ts'
import { expect, test } from '../harness/test.ts'

test.use({ stackEnv: { WORKLY_SHUTDOWN_GRACE: '1' } })

test('a worker that is asked to stop hands over its calls at once', async ({ stack, api, target }) => {
  const gate = new Gate()
  target.reply = gate.holdFirstAttempts()
  const jobs = Array.from({ length: 20 }, (_, n) => `handed-over-${n}`)
  await Promise.all(
    jobs.map(name => api.putJob(name, { cron: '0 3 * * *', url: target.url('/'), max_attempts: 1 })),
  )
  const runs = await Promise.all(jobs.map(name => api.trigger(name)))
  await target.received(20)

  const stopped = await stack.workerPid()
  signal(stopped, 'SIGTERM')
  await ended([stopped])
  await target.received(40)
  const ends = await Promise.all(runs.map(run => api.ended(run.id)))
  gate.open()

  for (const run of ends) {
    expect(run).toMatchObject({
      state: 'succeeded',
      attempts: [
        { number: 1, state: 'lost', error: { class: 'lost', message: expect.stringContaining('shut down') } },
        { number: 2, state: 'succeeded' },
      ],
    })
    // The stopping worker itself put it back, in the same instant; nobody had to find it.
    const [lost] = run.attempts
    expect(lost?.next_attempt_at).toBe(lost?.finished_at)
  }
  expect(target.calls).toHaveLength(40)
})

test('a call that ends within the grace period is not cut off by a stop', async ({ stack, api, target }) => {
  const gate = new Gate()
  target.reply = gate.holdFirstAttempts({ body: 'in time' })
  await api.putJob('in-time', { cron: '0 3 * * *', url: target.url('/') })
  const { id } = await api.trigger('in-time')
  await target.received(1)

  const stopped = await stack.workerPid()
  signal(stopped, 'SIGTERM')
  gate.open()
  await ended([stopped])

  expect(await api.ended(id)).toMatchObject({
    state: 'succeeded',
    attempts: [{ number: 1, state: 'succeeded', response: { body: 'in time' } }],
  })
  expect(target.calls).toHaveLength(1)
})
