import { expect, it } from 'vitest'
import { lateAt, lateWords } from './late-words.ts'

it('tells what a callback said that came too late, and when', () => {
  const late = { result: 'OK', description: '12 rows', received_at: '2026-12-01T03:00:00Z' }
  expect(lateWords(late)).toBe('A callback said OK: 12 rows.')
  expect(lateWords({ result: 'ERROR', description: null })).toBe('A callback said ERROR.')
  expect(lateAt(late)).toBe('2026-12-01T03:00:00Z')
})

it('tells what became of a call that was taken for lost', () => {
  const late = { class: 'ok', status: 200, message: null, finished_at: '2026-12-01T03:00:00Z' }
  expect(lateWords(late)).toBe('The target answered with status 200.')
  expect(lateAt(late)).toBe('2026-12-01T03:00:00Z')
  expect(lateWords({ class: 'timeout', status: null, message: 'Not within 30 s.' })).toBe(
    'The call ended: Not within 30 s.',
  )
})

it('says no more than it knows', () => {
  expect(lateWords({})).toBe('The call ended.')
  expect(lateAt({})).toBeNull()
})
