import { describe, expect, it } from 'vitest'
import { stepSpans } from './step-spans.ts'

const NOW = Date.parse('2026-12-01T12:00:10Z')

describe('stepSpans', () => {
  it('lays steps within the whole, the open one until now', () => {
    const spans = stepSpans(
      [
        { started_at: '2026-12-01T12:00:00Z', finished_at: '2026-12-01T12:00:05Z' },
        { started_at: '2026-12-01T12:00:05Z', finished_at: null },
        { started_at: null, finished_at: null },
      ],
      NOW,
    )
    expect(spans).toEqual([{ from: 0, share: 0.5, ms: 5_000 }, { from: 0.5, share: 0.5, ms: 5_000 }, null])
  })

  it('is nothing before a step has started', () => {
    expect(stepSpans([{ started_at: null, finished_at: null }], NOW)).toEqual([null])
  })
})
