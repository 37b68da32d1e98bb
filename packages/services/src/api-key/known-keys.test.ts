import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Services } from '../context.ts'
import { type KeyOwner, readKnownKey, startKeeping } from './known-keys.ts'

// Only the identity of the services counts here.
const newServices = () => ({}) as Services

const owner = (name: string): KeyOwner => ({
  organizationId: 'org_1',
  projectId: 'prj_1',
  actor: { kind: 'apiKey', id: 'key_1', name, scope: 'read' },
})

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('a key is known to its own services until a second after it was asked for', () => {
  const services = newServices()
  const keeping = startKeeping(services, 'wk_a')
  expect(readKnownKey(services, 'wk_a')).toBeUndefined()
  vi.advanceTimersByTime(400)
  keeping.keep(owner('a'))
  expect(readKnownKey(newServices(), 'wk_a')).toBeUndefined()
  expect(readKnownKey(services, 'wk_b')).toBeUndefined()
  vi.advanceTimersByTime(599)
  expect(readKnownKey(services, 'wk_a')).toEqual(owner('a'))
  vi.advanceTimersByTime(1)
  expect(readKnownKey(services, 'wk_a')).toBeUndefined()
})

test('an answer that came a second late is not kept', () => {
  const services = newServices()
  const keeping = startKeeping(services, 'wk_a')
  vi.advanceTimersByTime(1_000)
  keeping.keep(owner('a'))
  expect(readKnownKey(services, 'wk_a')).toBeUndefined()
})

test('the end of one call’s second leaves what a later call found', () => {
  const services = newServices()
  startKeeping(services, 'wk_a').keep(owner('first'))
  vi.advanceTimersByTime(500)
  startKeeping(services, 'wk_a').keep(owner('second'))
  vi.advanceTimersByTime(500)
  expect(readKnownKey(services, 'wk_a')).toEqual(owner('second'))
  vi.advanceTimersByTime(500)
  expect(readKnownKey(services, 'wk_a')).toBeUndefined()
})

test('where there is nothing to keep no timer is left', () => {
  startKeeping(newServices(), 'wk_a').drop()
  expect(vi.getTimerCount()).toBe(0)
})

test('a process that was stopped for an hour does not take a key that its late timer has not dropped yet', () => {
  const services = newServices()
  startKeeping(services, 'wk_a').keep(owner('a'))
  const now = performance.now()
  const clock = vi.spyOn(performance, 'now').mockReturnValue(now + 3_600_000)
  expect(readKnownKey(services, 'wk_a')).toBeUndefined()
  clock.mockRestore()
})
