import { expect, test } from 'vitest'
import { DatabaseClock } from './clock.ts'

test("the database's time is its last answer, carried on by the process's own clock", () => {
  let own = 5_000
  const clock = new DatabaseClock(() => own)
  expect(() => clock.now()).toThrow(/not been read/)
  clock.measured(new Date('2027-01-15T12:00:00.000Z'), 4_900, 5_100)
  expect(clock.now().toISOString()).toBe('2027-01-15T12:00:00.000Z')
  own += 1_500
  expect(clock.now().toISOString()).toBe('2027-01-15T12:00:01.500Z')
})

test('a database whose clock is set takes the worker with it, back and forward', () => {
  let own = 0
  const clock = new DatabaseClock(() => own)
  clock.measured(new Date('2027-01-15T12:00:00Z'), 0, 0)
  own = 1_000
  clock.measured(new Date('2027-01-15T11:00:00Z'), 1_000, 1_000)
  expect(clock.now().toISOString()).toBe('2027-01-15T11:00:00.000Z')
  clock.measured(new Date('2027-01-16T11:00:00Z'), 1_000, 1_000)
  expect(clock.now().toISOString()).toBe('2027-01-16T11:00:00.000Z')
})
