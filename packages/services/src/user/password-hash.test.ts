import { expect, test } from 'vitest'
import { hashPassword, matchesPassword, newPassword } from './password-hash.ts'

const base64 = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')

test('a password matches its own hash alone, composed or not, and the hash names its parameters', async () => {
  const stored = await hashPassword('caf\u00e9 caf\u00e9')
  expect(stored).toMatch(/^\$scrypt\$ln=17,r=8,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
  expect(await matchesPassword('cafe\u0301 cafe\u0301', stored)).toBe(true)
  expect(await matchesPassword('cafe cafe', stored)).toBe(false)
  expect(await hashPassword('caf\u00e9 caf\u00e9')).not.toBe(stored)
})

test('hashes made with other parameters are read as scrypt has them', async () => {
  // RFC 7914 section 12: scrypt("password", "NaCl", N=1024, r=8, p=16), its first 32 bytes.
  const key = Buffer.from('fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162', 'hex')
  const stored = `$scrypt$ln=10,r=8,p=16$${base64(Buffer.from('NaCl'))}$${base64(key)}`
  expect(await matchesPassword('password', stored)).toBe(true)
  expect(await matchesPassword('Password', stored)).toBe(false)
})

test('where there is no hash nothing matches', async () => {
  expect(await matchesPassword('', null)).toBe(false)
})

test('a text that is no hash is an error, not a mismatch', async () => {
  await expect(matchesPassword('x', 'plain')).rejects.toThrow('cannot be read')
})

test.each([
  ['123456789', 'at least 10 characters'],
  ['x'.repeat(257), 'at most 256 characters'],
  ['0123456789\u0000', 'may not hold NUL'],
  ['0123456789\ud800', 'half of a surrogate pair'],
])('%j cannot be set', (text, message) => {
  expect(
    newPassword
      .safeParse(text)
      .error?.issues.map(issue => issue.message)
      .join(),
  ).toContain(message)
})
