import { expect, test } from 'vitest'
import { MicroBatch } from './micro-batch.ts'

/** Batches that are answered by hand. */
function byHand(most: number, parallel: number) {
  const batches: { items: number[]; answer(): void; fail(error: Error): void }[] = []
  const batch = new MicroBatch<number, string>(
    items =>
      new Promise((resolve, reject) => {
        batches.push({ items, answer: () => resolve(items.map(i => `r${i}`)), fail: reject })
      }),
    most,
    parallel,
  )
  return { batch, batches }
}

const turn = () => new Promise(resolve => setImmediate(resolve))

test('what comes together goes together, and each gets its own result', async () => {
  const { batch, batches } = byHand(10, 1)
  const results = [batch.add(1), batch.add(2), batch.add(3)]
  await turn()
  expect(batches.map(b => b.items)).toEqual([[1, 2, 3]])
  batches[0]?.answer()
  expect(await Promise.all(results)).toEqual(['r1', 'r2', 'r3'])
})

test('a lone item waits for nobody', async () => {
  const { batch, batches } = byHand(10, 2)
  void batch.add(1)
  await turn()
  void batch.add(2)
  await turn()
  expect(batches.map(b => b.items)).toEqual([[1], [2]])
})

test('while as many as may be are under way the rest gathers, up to the most of one batch', async () => {
  const { batch, batches } = byHand(3, 1)
  const first = batch.add(1)
  await turn()
  const rest = [2, 3, 4, 5, 6].map(i => batch.add(i))
  await turn()
  expect(batches).toHaveLength(1)
  batches[0]?.answer()
  await first
  await turn()
  expect(batches[1]?.items).toEqual([2, 3, 4])
  batches[1]?.answer()
  await rest[0]
  await turn()
  expect(batches[2]?.items).toEqual([5, 6])
})

test('a batch that fails fails for each of its items, and the next goes on', async () => {
  const { batch, batches } = byHand(10, 1)
  const results = [batch.add(1), batch.add(2)]
  await turn()
  const later = batch.add(3)
  batches[0]?.fail(new Error('away'))
  const settled = await Promise.allSettled(results)
  expect(settled.map(r => r.status)).toEqual(['rejected', 'rejected'])
  await turn()
  batches[1]?.answer()
  expect(await later).toBe('r3')
})
