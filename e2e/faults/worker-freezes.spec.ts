import { Gate } from '../harness/gate.ts'
import { signal } from '../harness/processes.ts'
import { SecondWorker } from '../harness/second-worker.ts'
import { expect, test } from '../harness/test.ts'
import { until } from '../harness/until.ts'

test('a worker that was frozen for too long has its late result refused, and kept beside its attempt', async ({
  stack,
  api,
  target,
}) => {
  const gate = new Gate()
  const hold = gate.holdFirstAttempts()
  target.reply = call =>
    call.headers['workly-attempt'] === '1'
      ? { ...hold(call), status: 500, body: 'too late' }
      : { status: 200, body: 'in time' }
  await api.putJob('frozen', { cron: '0 3 * * *', url: target.url('/'), max_attempts: 1 })
  const { id } = await api.trigger('frozen')
  const [cutOff] = await target.received(1)

  const frozen = await stack.workerPid()
  signal(frozen, 'SIGSTOP')
  const second = await SecondWorker.start(stack)
  try {
    await target.received(2, '/', 45_000)
    const run = await api.ended(id)
    expect(run).toMatchObject({
      state: 'succeeded',
      attempts: [
        { number: 1, state: 'lost', late_result: null },
        { number: 2, state: 'succeeded', response: { status: 200, body: 'in time' } },
      ],
    })

    gate.open()
    await cutOff?.answered
    signal(frozen, 'SIGCONT')
    const after = await until(
      'the late result is kept',
      () => api.run(id),
      seen => seen.attempts[0]?.late_result !== null,
    )
    expect(after.attempts[0]?.late_result).toMatchObject({ class: 'http_status', status: 500 })
    const [first, ...rest] = after.attempts
    expect({ ...after, attempts: [{ ...first, late_result: null }, ...rest] }).toEqual(run)
  } finally {
    signal(frozen, 'SIGCONT')
    await second.stop()
  }

  // The one that was frozen has started anew under another lease and serves alone.
  const next = await api.ended((await api.trigger('frozen')).id, 40_000)
  expect(next.attempts.at(-1)).toMatchObject({ state: 'failed', response: { body: 'too late' } })
})
