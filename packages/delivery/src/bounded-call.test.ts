import { describe, expect, it } from 'vitest'
import { boundedCall } from './bounded-call.ts'

const never = new AbortController().signal
const late = () => new Error('late')
const hangs = () => new Promise<never>(() => {})

describe('boundedCall', () => {
  it('gives what the call gives', async () => {
    expect(await boundedCall(never, 60_000, late, async () => 1)).toBe(1)
    await expect(boundedCall(never, 60_000, late, () => Promise.reject(new Error('own')))).rejects.toThrow(
      'own',
    )
  })

  it('ends a call that heeds nothing', async () => {
    await expect(boundedCall(never, 10, late, hangs)).rejects.toThrow('late')
    const stop = new AbortController()
    setImmediate(() => stop.abort(new Error('stop')))
    await expect(boundedCall(stop.signal, 60_000, late, hangs)).rejects.toThrow('stop')
  })

  it("aborts the call, and tells the reason instead of the call's own words", async () => {
    const heeds = (signal: AbortSignal) =>
      new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(new Error('words'))))
    await expect(boundedCall(never, 10, late, heeds)).rejects.toThrow('late')
  })

  it('does not begin under a signal that is aborted', async () => {
    let begun = false
    const call = async () => {
      begun = true
    }
    await expect(boundedCall(AbortSignal.abort(new Error('stop')), 60_000, late, call)).rejects.toThrow(
      'stop',
    )
    expect(begun).toBe(false)
  })
})
