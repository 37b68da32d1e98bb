import { describe, expect, it } from 'vitest'
import { ExecutorError } from './image.ts'
import { PATIENCE_MS, Patience, patiently } from './patience.ts'

const away = new ExecutorError('away', { refused: false })
const never = new AbortController().signal

describe('patience with a cluster or engine', () => {
  it('asks again until there is an answer', async () => {
    let asked = 0
    const answer = await patiently(60_000, never, async () => {
      if (++asked < 3) throw away
      return 'here'
    })
    expect([answer, asked]).toEqual(['here', 3])
  })

  it('ends with the limit, and at once with a refusal or another error', async () => {
    await expect(patiently(50, never, () => Promise.reject(away))).rejects.toBe(away)
    let asked = 0
    const refuse = (error: Error) =>
      patiently(60_000, never, () => {
        asked++
        return Promise.reject(error)
      })
    await expect(refuse(new ExecutorError('no', { refused: true }))).rejects.toThrow('no')
    await expect(refuse(new TypeError('bug'))).rejects.toThrow('bug')
    expect(asked).toBe(2)
  })

  it('is for two minutes by default, and so for more than one', () => {
    expect(PATIENCE_MS).toBe(120_000)
  })

  it('ends with the signal, and gives its reason', async () => {
    const stop = new AbortController()
    const asking = patiently(60_000, stop.signal, () => {
      setImmediate(() => stop.abort(new Error('stop')))
      return Promise.reject(away)
    })
    await expect(asking).rejects.toThrow('stop')
  })

  it('waits longer each time, as long as it is asked to, and never past the limit', () => {
    const patience = new Patience(60_000)
    expect([patience.missed(away), patience.missed(away), patience.missed(away)]).toEqual([200, 400, 800])
    expect(patience.missed(new ExecutorError('busy', { refused: false, retryAfterMs: 30_000 }))).toBe(30_000)
    patience.reached()
    expect(patience.missed(away)).toBe(200)
    const long = patience.missed(new ExecutorError('busy', { refused: false, retryAfterMs: 600_000 }))
    expect(long).toBeLessThanOrEqual(60_000)
    expect(long).toBeGreaterThan(30_000)
  })
})
