import { describe, expect, it } from 'vitest'
import { Gate, GateFull } from './gate.ts'

/** Work that goes on until it is told to end. */
function work() {
  const { promise, resolve } = Promise.withResolvers<void>()
  const state = { began: false }
  return {
    state,
    end: resolve,
    run: () => {
      state.began = true
      return promise
    },
  }
}

describe('Gate', () => {
  it('lets so many go on at once, and the next when one is done', async () => {
    const gate = new Gate(2, 10)
    const [a, b, c] = [work(), work(), work()]
    const passes = [a, b, c].map(w => gate.pass(w.run))
    expect([a, b, c].map(w => w.state.began)).toEqual([true, true, false])
    a.end()
    await passes[0]
    expect(c.state.began).toBe(true)
    b.end()
    c.end()
    await Promise.all(passes)
  })

  it('refuses when too many wait, and takes more once they are through', async () => {
    const gate = new Gate(1, 1)
    const [a, b] = [work(), work()]
    const passes = [gate.pass(a.run), gate.pass(b.run)]
    await expect(gate.pass(async () => 'late')).rejects.toBeInstanceOf(GateFull)
    a.end()
    b.end()
    await Promise.all(passes)
    await expect(gate.pass(async () => 'later')).resolves.toBe('later')
  })

  it('is left by work that fails', async () => {
    const gate = new Gate(1, 0)
    await expect(
      gate.pass(async () => {
        throw new Error('no')
      }),
    ).rejects.toThrow('no')
    await expect(gate.pass(async () => 'yes')).resolves.toBe('yes')
  })
})
