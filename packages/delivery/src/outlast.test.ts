import { expect, test } from 'vitest'
import { outlast } from './outlast.ts'

test('what has been asked for is answered before its end is told, though nobody wants it any more', async () => {
  const end = new AbortController()
  const answer = Promise.withResolvers<string>()
  let isOver = false
  const asked = outlast(end.signal, () => answer.promise).finally(() => {
    isOver = true
  })
  end.abort(new Error('not wanted'))
  await new Promise(resolve => setImmediate(resolve))
  expect(isOver).toBe(false)
  answer.resolve('made')
  await expect(asked).rejects.toThrow('not wanted')
})

test('nothing is asked for that nobody wants', async () => {
  let asked = 0
  const ask = async () => {
    asked++
  }
  await expect(outlast(AbortSignal.abort(new Error('not wanted')), ask)).rejects.toThrow('not wanted')
  expect(asked).toBe(0)
})

test('an answer is handed on, and so is a failure', async () => {
  const { signal } = new AbortController()
  expect(await outlast(signal, async () => 'made')).toBe('made')
  await expect(outlast(signal, () => Promise.reject(new Error('refused')))).rejects.toThrow('refused')
})
