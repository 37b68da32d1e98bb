import { expect, test } from 'vitest'
import { isId, newId } from './id.ts'

const AT = Date.parse('2027-01-15T12:00:00Z')
const random = (byte: number) => new Uint8Array(10).fill(byte)

test('an id says what it is of, and is told from those of other kinds and from what is none', () => {
  const id = newId('run', AT, random(7))
  expect(id).toMatch(/^run_[0-9a-z]+$/)
  expect(isId('run', id)).toBe(true)
  for (const other of ['job', 'attempt'] as const) expect(isId(other, id)).toBe(false)
  for (const none of ['', 'run_', id.slice(0, -1), `${id}0`, ` ${id}`, id.replace('run_', 'job_'), `${id}\n`])
    expect([none, isId('run', none)]).toEqual([none, false])
})

test('ids sort by the time of their making, whatever their random part', () => {
  const times = [0, 1, AT - 1, AT, AT + 1, AT + 86_400_000]
  const ids = times.map((at, i) => newId('job', at, random(255 - i * 40)))
  expect([...ids].sort()).toEqual(ids)
})
