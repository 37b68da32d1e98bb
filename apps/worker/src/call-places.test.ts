import type { BegunAttempt } from '@workly/services'
import { expect, test } from 'vitest'
import { CallPlaces, placesInHand } from './call-places.ts'

/** Calls that are ended by hand, in the order in which they were taken. */
function byHand(places: number) {
  const calls: PromiseWithResolvers<void>[] = []
  const broken: unknown[] = []
  const held = new CallPlaces(
    places,
    () => {
      const call = Promise.withResolvers<void>()
      calls.push(call)
      return call.promise
    },
    (_, error) => broken.push(error),
  )
  return { held, calls, broken }
}

const attempts = (count: number) => Array.from({ length: count }, () => ({}) as BegunAttempt)

test('there is room for as many calls as there are places, again when they have ended', async () => {
  const { held, calls } = byHand(3)
  expect(held.room).toBe(3)
  held.take(attempts(3))
  expect(held.room).toBe(0)
  for (const call of calls) call.resolve()
  await held.idle()
  expect(held.room).toBe(3)
})

test('whoever waits for room has it once a third of the places is free', async () => {
  const { held, calls } = byHand(6)
  held.take(attempts(6))
  let roomy = false
  const waited = held.untilRoomy(3_600_000).then(() => {
    roomy = true
  })
  calls[0]?.resolve()
  await calls[0]?.promise
  await new Promise(resolve => setImmediate(resolve))
  expect([held.room, roomy]).toEqual([1, false])
  calls[1]?.resolve()
  await waited
  expect(held.room).toBe(2)
  await held.untilRoomy(3_600_000)
})

test('nobody waits for room longer than asked to', async () => {
  const { held } = byHand(2)
  held.take(attempts(2))
  await held.untilRoomy(1)
  expect(held.room).toBe(0)
})

test('a call that breaks gives its place back, and is told of', async () => {
  const { held, calls, broken } = byHand(1)
  held.take(attempts(1))
  calls[0]?.reject(new Error('broken'))
  await held.idle()
  expect([held.room, broken]).toEqual([1, [new Error('broken')]])
})

test('half of the places are for calls that begin as they are claimed, and no more than 250', () => {
  expect([1, 2, 300, 500, 1_000].map(placesInHand)).toEqual([0, 1, 150, 250, 250])
})
