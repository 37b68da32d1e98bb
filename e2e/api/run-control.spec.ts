import { Gate } from '../harness/gate.ts'
import { expect, test } from '../harness/test.ts'
import { until } from '../harness/until.ts'

test('cancelling a run hangs up on its target, and the run can be retried', async ({ api, target }) => {
  const gate = new Gate()
  target.reply = gate.holdFirstAttempts()
  await api.putJob('cancelled', { cron: '0 3 * * *', url: target.url('/') })
  const { id } = await api.trigger('cancelled')
  const [call] = await target.received(1)

  expect((await api.call('POST', `/v1/runs/${id}/cancel`)).status).toBe(200)
  await call?.answered
  expect(call?.isHungUp()).toBe(true)
  expect(await api.ended(id)).toMatchObject({
    state: 'cancelled',
    attempts: [{ number: 1, state: 'cancelled' }],
  })
  expect((await api.call('POST', `/v1/runs/${id}/cancel`)).status).toBe(409)

  const retried = await api.call('POST', `/v1/runs/${id}/retry`)
  expect(retried).toMatchObject({ status: 200, body: { id, state: 'pending' } })
  const run = await api.ended(id)
  expect(run).toMatchObject({
    state: 'succeeded',
    trigger: 'manual',
    attempts: [
      { number: 1, state: 'cancelled' },
      { number: 2, state: 'succeeded' },
    ],
  })
  const [first, second] = target.calls
  for (const name of ['workly-run-id', 'workly-scheduled-for', 'x-scheduler-jobid'])
    expect(second?.headers[name]).toBe(first?.headers[name])
  gate.open()
})

test('a run that is due while another is going is recorded as skipped, and one by hand goes at once', async ({
  api,
  target,
}) => {
  const gate = new Gate()
  target.reply = gate.holdFirstAttempts()
  await api.putJob('overlapping', { cron: '* * * * * *', dialect: 'extended', url: target.url('/') })
  await target.received(1)
  await until(
    'a second has passed over the run that is going',
    () => api.runs('overlapping'),
    runs => runs.some(run => run.state === 'skipped'),
  )
  const byHand = await api.trigger('overlapping')
  await target.received(2)
  const runs = await api.runs('overlapping')
  await api.pause('overlapping')
  gate.open()

  expect(target.calls[1]?.headers['workly-run-id']).toBe(byHand.id)
  expect(runs.find(run => run.state === 'skipped')).toMatchObject({
    skip_reason: 'overlap',
    attempts_made: 0,
    started_at: null,
  })
  expect(runs.filter(run => run.state === 'running' || run.state === 'pending')).toHaveLength(2)
  expect((await api.ended(byHand.id)).state).toBe('succeeded')
})
