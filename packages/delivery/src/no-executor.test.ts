import { describe, expect, it } from 'vitest'
import type { ImageSpec } from './image.ts'
import { NoExecutor } from './no-executor.ts'

const signal = new AbortController().signal
const spec: ImageSpec = {
  organizationId: 'org_1',
  runId: 'run_1',
  attemptId: 'att_1',
  stepId: null,
  name: 'box',
  tag: '1',
  env: {},
  envFrom: [],
  timeoutSeconds: 1,
  callbackUri: 'https://workly.example/v1/callbacks/x',
}

describe('without an executor', () => {
  it('an image fails at once, for good, and says what to set', async () => {
    const started = await new NoExecutor().start(spec, signal)
    expect(started).toMatchObject({
      started: false,
      outcome: {
        class: 'executor',
        refused: true,
        message: expect.stringContaining('WORKLY_IMAGE_EXECUTOR'),
      },
    })
  })

  it('nothing is there, and what another executor started is not said to be gone', async () => {
    const none = new NoExecutor()
    expect(await none.list(signal)).toEqual([])
    await expect(none.remove(none.refFor(spec), signal)).rejects.toMatchObject({ refused: true })
  })
})
