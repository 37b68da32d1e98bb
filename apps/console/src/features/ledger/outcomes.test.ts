import { LEDGER_OUTCOMES } from '@workly/core'
import { expect, it } from 'vitest'
import { isInOrder, outcomeMark } from './outcomes.ts'

it('marks every outcome but that of a run, which is marked by its state', () => {
  expect(LEDGER_OUTCOMES.filter(outcome => outcomeMark(outcome) === null)).toEqual(['ran'])
})

it('asks nobody to look at what was not to run, and at nothing that succeeded or goes on', () => {
  expect(LEDGER_OUTCOMES.filter(outcome => !isInOrder(outcome, null))).toEqual(['skipped', 'missed'])
  expect(isInOrder('ran', 'succeeded')).toBe(true)
  expect(isInOrder('ran', 'running')).toBe(true)
  expect(isInOrder('ran', 'failed')).toBe(false)
})
