import { expect, test, vi } from 'vitest'
import { atEnd, endAll } from './ending.ts'

test('what is open is ended once, the latest first, also when one of it cannot be', async () => {
  const told = vi.spyOn(console, 'error').mockReturnValue()
  const ended: string[] = []
  const end = (name: string) => async () => {
    ended.push(name)
    if (name === 'worker') throw new Error('it will not')
  }
  atEnd(end('database'))
  atEnd(end('worker'))
  const endTarget = atEnd(end('target'))
  await endTarget()
  await endAll()
  await endAll()

  expect(ended).toEqual(['target', 'worker', 'database'])
  expect(told).toHaveBeenCalledOnce()
  told.mockRestore()
})
