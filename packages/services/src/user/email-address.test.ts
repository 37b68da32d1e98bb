import { expect, test } from 'vitest'
import { emailAddress } from './email-address.ts'

test.each([
  ['Ada@Example.COM', 'ada@example.com'],
  ['a+b.c@mail.example.co.uk', 'a+b.c@mail.example.co.uk'],
  ['demo@localhost', 'demo@localhost'],
  ["o'neil@xn--bcher-kva.example", "o'neil@xn--bcher-kva.example"],
])('%s is taken in lower case', (text, stored) => {
  expect(emailAddress.parse(text)).toBe(stored)
})

test.each([
  '',
  'ada',
  '@example.com',
  'ada@',
  'ada@@example.com',
  'ada@-example.com',
  'ada@example-.com',
  'ada@example..com',
  'ada lovelace@example.com',
  ' ada@example.com',
  'ada@example.com\n',
  'ada@example.com\u0000',
  'İ@example.com',
  'ada@bücher.example',
  `${'a'.repeat(65)}@example.com`,
  `a@${'b'.repeat(64)}.com`,
  `a@${'b.'.repeat(130)}com`,
])('%j is refused', text => {
  expect(emailAddress.safeParse(text).success).toBe(false)
})
