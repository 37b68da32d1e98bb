import { expect, test } from 'vitest'
import { boundedRecord, MOST_KEPT } from './bounded-record.ts'

const sizeOf = (record: object) => JSON.stringify(record).length

test('what is small is kept whole', () => {
  const record = { cron: '0 3 * * *', request: { payload: 'x'.repeat(5_000), headers: { a: 'b' } }, to: null }
  expect(boundedRecord(record)).toEqual(record)
})

test('of a large payload the beginning is kept, and all else', () => {
  const at = new Date('2027-01-15T12:00:00Z')
  const record = { cron: '0 3 * * *', at, request: { payload: '€'.repeat(1_000_000), headers: { a: 'b' } } }
  const kept = boundedRecord(record)
  expect(kept).toEqual({
    ...record,
    request: { payload: `${'€'.repeat(1_000)}… (1000000 characters)`, headers: { a: 'b' } },
  })
})

test('of very many values the largest field is left out, which is said', () => {
  const steps = Array.from({ length: 50 }, (_, i) => ({ id: `s${i}`, body: 'x'.repeat(500) }))
  const kept = boundedRecord({ overlap: 'queue', request: { steps } })
  expect(kept).toEqual({
    overlap: 'queue',
    request: { steps: steps.map(s => ({ ...s, body: `${'x'.repeat(100)}… (500 characters)` })) },
  })
  const many = Array.from({ length: 50 }, (_, i) => ({
    id: `s${i}`,
    headers: Object.fromEntries(steps.map(s => [s.id, s.id])),
  }))
  expect(boundedRecord({ overlap: 'queue', request: { steps: many } })).toEqual({
    overlap: 'queue',
    request: `(${sizeOf({ steps: many })} characters)`,
  })
})

test('whatever it is, it is bounded', () => {
  for (const record of [
    { a: 'x'.repeat(MOST_KEPT), b: 'y'.repeat(MOST_KEPT) },
    Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`k${i}`, 'v'])),
    { text: '\ud83d\ude00'.repeat(50_000) },
  ])
    expect(sizeOf(boundedRecord(record))).toBeLessThanOrEqual(MOST_KEPT)
})
