import { expect, test } from 'vitest'
import { actorName } from './actor-name.ts'

test('who changed something is told by name, and what else than a person it is', () => {
  expect(actorName({ kind: 'user', id: 'usr_1', name: 'Ada' })).toBe('Ada')
  expect(actorName({ kind: 'apiKey', id: 'key_1', name: 'deploys' })).toBe('API key deploys')
  expect(actorName({ kind: 'system', id: null, name: 'seed' })).toBe('Workly, seed')
})

test('a call from the machine itself, without a key, is not said to be by a key', () => {
  const name = 'this machine, without a key'
  expect(actorName({ kind: 'apiKey', id: 'demo_door', name })).toBe(name)
})
