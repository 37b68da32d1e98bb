import { verifySignature } from '@workly/core'
import { expect, test } from 'vitest'
import type { BegunAttempt } from './begin-attempts.ts'
import { outgoingCall } from './outgoing-call.ts'

const NOW = 1_800_000_000
const SECRETS = ['whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw']
const attempt: BegunAttempt = {
  attempt_id: 'att_1',
  fence: 1,
  number: 4,
  run_id: 'run_01kbbb1j6c0s2v4y6a8c0e2g4j',
  step_id: null,
  task_number: 1,
  organization_id: 'org_1',
  project_id: 'prj_1',
  job_id: 'job_1',
  job_name: 'nightly',
  scheduled_for: new Date('2026-12-01T02:00:00Z'),
  request: {
    kind: 'http',
    url: 'https://target.example/',
    method: 'POST',
    headers: {},
    payload: '{"a":1}',
    response: 'sync',
    timeout_seconds: 30,
  },
}
const keys = {
  signingSecrets: SECRETS,
  secretValues: new Map<string, string>(),
  userAgent: 'Workly/1',
  timestamp: NOW,
  callbackUrl: null,
}
const call = (stepId: string | null) => outgoingCall({ ...attempt, step_id: stepId }, keys)

test('without a step the run is the webhook, and one signature serves both', () => {
  const { headers } = call(null)
  expect(headers).not.toHaveProperty('Workly-Step')
  expect(headers).toMatchObject({ 'X-Scheduler-JobId': 'job_1', 'webhook-id': attempt.run_id })
  expect(headers['webhook-signature']).toBe(headers['Workly-Signature'])
})

test('a step is named, beside the job and in the webhook’s id, so that step 2 is no repeat of step 1', () => {
  const { headers } = call('train-it')
  expect(headers).toMatchObject({
    'Workly-Run-Id': attempt.run_id,
    'Workly-Step': 'train-it',
    'Workly-Attempt': '4',
    'X-Scheduler-JobId': 'job_1/train-it',
    'webhook-id': `${attempt.run_id}_train-it`,
  })
  expect(call('other').headers['webhook-id']).not.toBe(headers['webhook-id'])
})

test.each([0, 1])('a step’s call verifies by either family of headers, with live secret %s', i => {
  const secret = SECRETS[i] ?? ''
  const { headers, body } = call('train_it')
  const text = Buffer.from(body ?? []).toString()
  const verified = { runId: attempt.run_id, timestamp: NOW }
  expect(verifySignature({ headers, body: text, secret, now: NOW })).toEqual(verified)
  const standard = Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('webhook-')))
  expect(verifySignature({ headers: standard, body: text, secret, now: NOW })).toEqual(verified)
})

test('the two signatures of a step are not exchangeable', () => {
  const { headers } = call('train')
  expect(headers['Workly-Signature']).not.toBe(headers['webhook-signature'])
})
