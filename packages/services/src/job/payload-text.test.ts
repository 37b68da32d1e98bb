import { expect, it } from 'vitest'
import { readPayload } from './payload-text.ts'

it.each([
  '9007199254740993',
  '[1.10,-0,1e400]',
  '{"z":1.0,"a":{"__proto__":[null,true,"1.0"]}}',
  '"x"',
  'null',
])('a payload read and written again is the same text: %s', text => {
  expect(JSON.stringify(readPayload(text))).toBe(text)
})

it('a number that a double holds is a number', () => {
  expect(readPayload('{"n":[1,2.5]}')).toEqual({ n: [1, 2.5] })
})
