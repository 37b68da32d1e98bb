import { memoryUsage } from 'node:process'
import { expect, test } from 'vitest'
import { giveBackMemory } from './give-back-memory.ts'

test('what nothing holds any more is given back to the system', () => {
  let rows: object[] | null = Array.from({ length: 300_000 }, (_, n) => ({ n, text: `row ${n}` }))
  const full = memoryUsage().heapTotal
  expect(rows).toHaveLength(300_000)
  rows = null

  giveBackMemory()

  expect(memoryUsage().heapTotal).toBeLessThan(full - 10 * 1024 * 1024)
})
