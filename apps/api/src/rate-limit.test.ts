import { expect, it } from 'vitest'
import { RateLimiter } from './rate-limit.ts'

it('lets a burst through, then as many as fill in', () => {
  let nowMs = 0
  const limiter = new RateLimiter({ perSecond: 100, burst: 200 }, () => nowMs)
  const taken = () => Array.from({ length: 300 }, () => limiter.take('k').allowed).filter(Boolean).length
  expect(taken()).toBe(200)
  nowMs = 250
  expect(taken()).toBe(25)
  nowMs = 60_000
  expect(taken()).toBe(200)
})

it('does not count what it refuses', () => {
  let nowMs = 0
  const limiter = new RateLimiter({ perSecond: 1, burst: 1 }, () => nowMs)
  limiter.take('k')
  for (let i = 0; i < 50; i++) expect(limiter.take('k').allowed).toBe(false)
  nowMs = 1_000
  expect(limiter.take('k').allowed).toBe(true)
})

it('says how long to wait, to the moment', () => {
  let nowMs = 0
  const limiter = new RateLimiter({ perSecond: 4, burst: 1 }, () => nowMs)
  limiter.take('k')
  nowMs = 100
  const { retryAfterSeconds } = limiter.take('k')
  nowMs = 100 + retryAfterSeconds * 1_000
  expect(limiter.take('k').allowed).toBe(true)
})

it('keeps no bucket that is full again, however many keys come by', () => {
  let nowMs = 0
  const limiter = new RateLimiter({ perSecond: 1_000, burst: 1 }, () => nowMs)
  for (let i = 0; i < 10_000; i++) {
    nowMs += 1
    limiter.take(`key ${i}`)
  }
  expect(limiter.size).toBeLessThanOrEqual(1_001)
})
