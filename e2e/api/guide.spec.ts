import type { Job, Run } from '@workly/core'
import { typeCurl } from '../harness/curl.ts'
import { expect, test } from '../harness/test.ts'

/** The guide's command, to the letter. */
const CREATE = `curl -X PUT localhost:7337/v1/schedules/nightly-report -d '{
  "cron": "0 3 * * *",
  "timezone": "Europe/Stockholm",
  "url": "https://api.example.com/reports/nightly",
  "payload": {"kind": "daily"}
}'`

const hourInStockholm = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'Europe/Stockholm',
  hour: '2-digit',
  hourCycle: 'h23',
})

/** The next whole hours at which Stockholm's clocks show 03:00; 03:00 is never skipped there and never comes twice. */
function nextThreeOClocks(after: number, count: number): string[] {
  const times: string[] = []
  for (let hour = Math.floor(after / 3_600_000) + 1; times.length < count; hour++) {
    const at = new Date(hour * 3_600_000)
    if (hourInStockholm.format(at) === '03') times.push(at.toISOString())
  }
  return times
}

test('the command of the guide makes the schedule and tells its next five times', async ({ stack, api }) => {
  const before = Date.now()
  const made = await typeCurl(CREATE, stack.port)

  expect(made.status, made.body).toBe(201)
  const job = JSON.parse(made.body) as Job
  expect(job).toMatchObject({
    name: 'nightly-report',
    kind: 'http',
    state: 'active',
    cron: '0 3 * * *',
    timezone: 'Europe/Stockholm',
    url: 'https://api.example.com/reports/nightly',
    method: 'POST',
    payload: { kind: 'daily' },
    timeout_seconds: 30,
    max_attempts: 3,
    min_backoff_seconds: 5,
    max_backoff_seconds: 300,
    backoff_multiplier: 2,
    retry_on_4xx: false,
    overlap: 'skip',
    missed: 'skip',
  })
  const instants = (texts: string[]) => texts.map(text => new Date(text).toISOString())
  // 03:00 may have come while the command ran.
  expect([nextThreeOClocks(before, 5), nextThreeOClocks(Date.now(), 5)]).toContainEqual(
    instants(job.next_runs),
  )
  expect(job.next_run_at).toBe(job.next_runs[0])

  const again = await typeCurl(CREATE, stack.port)
  expect(again.status).toBe(200)
  expect(again.headers['workly-changed']).toBe('false')

  // The same thing under its other name, for a caller with a key.
  expect(await api.job('nightly-report')).toMatchObject({ id: job.id, cron: '0 3 * * *' })
})

test('a schedule is run by hand, paused, resumed, read and deleted with commands like the guide’s', async ({
  stack,
  target,
}) => {
  const type = (command: string) => typeCurl(command, stack.port)
  const schedule = 'localhost:7337/v1/schedules/report-by-hand'
  await type(`curl -X PUT ${schedule} -d '{
    "cron": "0 3 * * *",
    "timezone": "Europe/Stockholm",
    "url": "${target.url('/reports/nightly')}",
    "payload": {"kind": "daily"}
  }'`)

  const paused = await type(`curl -X POST ${schedule}/pause`)
  expect(JSON.parse(paused.body)).toMatchObject({ state: 'paused', next_run_at: null })

  // Run now goes even while it is paused.
  const triggered = await type(`curl -X POST ${schedule}/trigger`)
  expect(triggered.status).toBe(201)
  const run = JSON.parse(triggered.body) as Run
  expect(run).toMatchObject({ job: 'report-by-hand', trigger: 'manual' })
  const [call] = await target.received(1, '/reports/nightly')
  expect(call).toMatchObject({ method: 'POST', body: '{"kind":"daily"}' })
  expect(call?.headers['workly-run-id']).toBe(run.id)

  const resumed = await type(`curl -X POST ${schedule}/resume`)
  expect(JSON.parse(resumed.body)).toMatchObject({ state: 'active' })

  const ended = await stack.api.ended(run.id)
  expect(ended.state).toBe('succeeded')
  const runs = await type(`curl ${schedule}/runs?state=succeeded`)
  expect(JSON.parse(runs.body)).toMatchObject({
    data: [{ id: run.id, state: 'succeeded' }],
    next_cursor: null,
  })

  expect((await type(`curl -X DELETE ${schedule}`)).status).toBe(204)
  expect((await type(`curl ${schedule}`)).status).toBe(404)
  expect((await type(`curl localhost:7337/v1/runs/${run.id}`)).status).toBe(404)
})
