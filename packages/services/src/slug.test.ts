import { expect, test } from 'vitest'
import { slug } from './slug.ts'

test.each(['ab', '42', 'acme', 'acme-co', 'a-b-c-1', 'x'.repeat(40), 'demo'])('%s is a slug', text => {
  expect(slug.parse(text)).toBe(text)
})

test.each(['', 'a', '-a', 'a-', 'a--b', 'Acme', 'a_b', 'a.b', 'ä-b', 'org_01', 'ab\n', 'x'.repeat(41)])(
  '%j is none, and the message says what is',
  text => {
    expect(slug.safeParse(text).error?.issues).toMatchObject([
      { message: '2 to 40 lower-case letters, digits and single hyphens between them' },
    ])
  },
)

test.each(['api', 'v1', 'docs', 'sign-in', 'scheduler', 'settings', 'new'])(
  '%s is kept for addresses',
  text => {
    expect(slug.safeParse(text).error?.issues).toMatchObject([
      { message: expect.stringContaining('choose another') },
    ])
  },
)
