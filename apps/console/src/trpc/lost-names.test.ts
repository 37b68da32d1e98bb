import { expect, test } from 'vitest'
import { lostName } from './lost-names.ts'

test.each([
  ['{"__proto__":1}', ['__proto__']],
  ['{"settings":{"headers":{"__proto__":"x"}}}', ['settings', 'headers', '__proto__']],
  ['[{"a":[{"__proto__":null}]}]', ['0', 'a', '0', '__proto__']],
])('finds it in %s', (text, path) => {
  expect(lostName(JSON.parse(text))).toEqual(path)
})

test.each([
  'null',
  '"__proto__"',
  '{"a":"__proto__"}',
  '{"constructor":{"prototype":1}}',
  `${'['.repeat(50_000)}${']'.repeat(50_000)}`,
])('finds none in %s', text => {
  expect(lostName(JSON.parse(text))).toBeNull()
})
