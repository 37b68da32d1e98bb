import { expect, it } from 'vitest'
import { countedWords } from './counted-words.ts'

const none = { created: 0, retried: 0, unchanged: 0, unknown: 0 }

it('tells only what there is', () => {
  expect(countedWords(none)).toBe('The schedule has no time in this range.')
  expect(countedWords({ ...none, created: 3 })).toBe('3 without a run get one.')
  expect(countedWords({ ...none, created: 1, unchanged: 1 })).toBe(
    '1 without a run gets one; 1 stays as it is.',
  )
})

it('tells apart what is run again and what is left alone', () => {
  expect(countedWords({ created: 0, retried: 2, unchanged: 4, unknown: 1 })).toBe(
    '2 skipped, failed, cancelled or done are run again; 4 stay as they are; 1 is left alone, since retention may have removed a run.',
  )
})
