import { parseCidrs } from '@workly/core'
import { HttpCaller } from '@workly/delivery'
import { TestReceiver } from '@workly/delivery/testing'
import type { BegunAttempt, CallKeys } from '@workly/services'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CallsInFlight } from './calls-in-flight.ts'
import { DatabaseClock } from './clock.ts'
import { type DeliveryParts, deliverAttempt } from './deliver-attempt.ts'

let target: TestReceiver
let caller: HttpCaller
beforeAll(async () => {
  target = await TestReceiver.start()
  caller = new HttpCaller({
    allowedPrivate: parseCidrs('127.0.0.0/8'),
    allowHttp: 'loopback',
    userAgent: 'Workly/test',
  })
})
afterAll(async () => {
  await caller?.close()
  await target?.close()
})

const keys: CallKeys = {
  signingSecrets: [`whsec_${Buffer.alloc(32, 7).toString('base64')}`],
  secretValues: new Map(),
  userAgent: 'Workly/test',
  timestamp: 1_800_000_000,
  callbackUrl: null,
}

function begun(headers: Record<string, string | { secret_value: string }> = {}): BegunAttempt {
  const request = {
    kind: 'http',
    url: target.url('/'),
    method: 'POST',
    headers,
    response: 'sync',
    timeout_seconds: 5,
  }
  return {
    attempt_id: 'att_1',
    fence: 1,
    number: 1,
    run_id: 'run_1',
    step_id: '',
    task_number: 1,
    organization_id: 'org_1',
    project_id: 'prj_1',
    job_id: 'job_1',
    job_name: 'job',
    scheduled_for: new Date('2027-01-15T12:00:00Z'),
    request,
  } as BegunAttempt
}

function parts(over: Partial<DeliveryParts>): DeliveryParts {
  const clock = new DatabaseClock()
  clock.measured(new Date(), clock.reading(), clock.reading())
  return {
    caller,
    clock,
    inFlight: new CallsInFlight(),
    keysOf: async () => keys,
    onKeysAway: () => undefined,
    ...over,
  }
}

test('keys that cannot be read while the database is away are read again, and the call is made', async () => {
  let tries = 0
  const away: unknown[] = []
  const finished = await deliverAttempt(
    parts({
      async keysOf() {
        tries++
        if (tries < 3) throw new Error('relation "signing_secrets" does not exist')
        return keys
      },
      onKeysAway: (_, error) => away.push(error),
    }),
    begun(),
  )
  expect(finished?.result).toMatchObject({ class: 'ok', status: 200 })
  expect([tries, away.length]).toEqual([3, 2])
})

test('an attempt that is cut off while its keys are away ends without a result, and nothing is called', async () => {
  const before = target.requests.length
  const inFlight = new CallsInFlight()
  const finished = await deliverAttempt(
    parts({
      inFlight,
      keysOf: () => Promise.reject(new Error('away')),
      onKeysAway: () => inFlight.cut(['att_1'], 'taken'),
    }),
    begun(),
  )
  expect(finished).toBeNull()
  expect(target.requests).toHaveLength(before)
})

test('a secret that cannot be read fails the attempt in words about the header alone', async () => {
  const finished = await deliverAttempt(parts({}), begun({ Authorization: { secret_value: 'sec_1' } }))
  expect(finished?.result.message).toBe(
    'The call could not be made: the secret value of the header Authorization cannot be read. Set it again.',
  )
})
