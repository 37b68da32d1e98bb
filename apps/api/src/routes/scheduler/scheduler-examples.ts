import type {
  Execution,
  ImageSchedulation,
  ImageSchedulationRead,
  PipelineSchedulation,
  PipelineSchedulationRead,
  RestRequestSchedulation,
  RestRequestSchedulationRead,
} from '@workly/core'

/** The nightly export and its trainer, which the organization scheduler's guide is about. */
const schedule = {
  cron: { expression: '0 0 2 * * * *', timeZone: 'Europe/Madrid' },
  executeNow: false as const,
  from: '2026-12-01T00:00:00Z',
}
const exported = { method: 'POST' as const, url: 'https://api.example.com/export', body: { kind: 'daily' } }
const trainer = {
  name: 'team/trainer',
  tag: '2.0.1',
  env: { MODEL: 'daily' },
  envFrom: [{ secret: 'db' }, { configMap: 'conf', prefix: 'APP_' }],
  timeout: 300,
  maxTimeToWaitCallback: 360,
}

export const EXAMPLE_REST_REQUEST: RestRequestSchedulation = {
  id: 'nightly-export',
  schedule,
  restRequest: { ...exported, headers: { 'x-kind': 'daily' } },
  response: { async: { maxTimeToWaitCallback: 600 } },
}

export const EXAMPLE_REST_REQUEST_READ: RestRequestSchedulationRead = {
  id: 'nightly-export',
  schedule,
  restRequest: { ...exported, headers: { 'x-kind': 'daily' } },
  response: { async: { maxTimeToWaitCallback: 600 } },
}

export const EXAMPLE_IMAGE_EXECUTION: ImageSchedulation = {
  id: 'nightly-training',
  schedule,
  imageExecution: trainer,
}

export const EXAMPLE_IMAGE_EXECUTION_READ: ImageSchedulationRead = {
  id: 'nightly-training',
  schedule,
  imageExecution: trainer,
}

export const EXAMPLE_PIPELINE: PipelineSchedulation = {
  id: 'time-series-trainer',
  schedule,
  pipeline: {
    steps: [
      { id: 'export', restRequest: exported, response: { async: { maxTimeToWaitCallback: 600 } } },
      { id: 'train', imageExecution: trainer },
    ],
  },
}

export const EXAMPLE_PIPELINE_READ: PipelineSchedulationRead = {
  id: 'time-series-trainer',
  schedule,
  pipeline: {
    steps: [
      {
        id: 'export',
        restRequest: { ...exported, headers: {} },
        response: { async: { maxTimeToWaitCallback: 600 } },
      },
      { id: 'train', imageExecution: trainer },
    ],
  },
}

export const EXAMPLE_EXECUTION: Execution = {
  executionId: 'run_01kbbb1j6c0s2v4y6a8c0e2g4j',
  schedulerType: 'PIPELINE',
  schedulerId: 'time-series-trainer',
  start: '2026-12-01T01:00:00.180Z',
  end: '2026-12-01T01:04:12.506Z',
  state: 'FINISHED',
  steps: [
    { id: 'export', state: 'FINISHED', result: 'OK', description: '1,204 rows exported' },
    { id: 'train', state: 'FINISHED', result: 'ERROR', description: 'The container exited with code 1.' },
  ],
}
