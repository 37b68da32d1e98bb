import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { exit } from '../../test/fake-engine.ts'
import { ImageBench } from '../../test/image-bench.ts'

let bench: ImageBench
beforeAll(async () => {
  bench = await ImageBench.open()
})
afterEach(() => bench.clear())
afterAll(async () => {
  await bench?.shop.close()
})

const bug = () => new TypeError('spec.name is not a function')

test('a fault of a start that passes is got over, and one container runs', async () => {
  await bench.work()
  bench.engine.startFaults = [bug(), bug()]
  const { run } = await bench.start({ max_attempts: 1 })
  await bench.engine.end(run.id, exit(0))
  expect(await bench.shop.runIn(run.id, 'succeeded', 'failed')).toMatchObject({
    state: 'succeeded',
    attempts: [{ number: 1 }],
  })
  expect([...bench.engine.starts.values()]).toEqual([1])
})

test('a start that fails as nobody foresaw is not tried without end: it fails as executor, with the cause', async () => {
  await bench.work()
  bench.engine.startFaults = Array.from({ length: 4 }, bug)
  const { run } = await bench.start({ max_attempts: 1 })
  expect(await bench.shop.runIn(run.id, 'failed')).toMatchObject({
    error: { class: 'executor', message: expect.stringContaining('spec.name is not a function') },
    attempts: [{ number: 1 }],
  })
  expect(bench.engine.startFaults).toEqual([])
  expect(await bench.gone(run.id)).toBe(true)
})

test('so does a wait, whose container is removed; a removal that breaks is asked for again', async () => {
  await bench.work()
  bench.engine.waitFaults = Array.from({ length: 4 }, bug)
  bench.engine.removeFaults = [bug()]
  const { run } = await bench.start({ max_attempts: 1 })
  expect(await bench.shop.runIn(run.id, 'failed')).toMatchObject({ error: { class: 'executor' } })
  expect(await bench.gone(run.id)).toBe(true)
  expect(bench.engine.size).toBe(0)
})
