import { expect, test } from 'vitest'
import { script } from '../../test/containers/harness.ts'
import { type JobStart, startJob } from './start-job.ts'

test('a Job that is being made when nobody wants it any more is waited for, so that its removal finds it', async () => {
  const end = new AbortController()
  const asked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<object>()
  const request = () => {
    asked.resolve()
    return answer.promise
  }
  const spec = script({ url: (id: string) => `http://127.0.0.1:9/${id}` }, 'true')
  const start = {
    api: { request },
    namespaces: { prepare: async () => {} },
    settings: {
      registry: '',
      installation: 'default',
      limits: { cpus: 1, memoryBytes: 1024 },
      imagePullSecrets: [],
    },
    spec,
    ref: { executor: 'kubernetes', namespace: 'workly-test', name: 'workly-test' },
    signal: end.signal,
  } as unknown as JobStart
  let isOver = false
  const started = startJob(start).finally(() => {
    isOver = true
  })
  await asked.promise
  end.abort(new Error('cancelled'))
  await new Promise(resolve => setImmediate(resolve))
  expect(isOver).toBe(false)
  answer.resolve({})
  await expect(started).rejects.toThrow('cancelled')
})
