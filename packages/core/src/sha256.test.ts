import { createHash, createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hmacSha256 as native } from './hmac.ts'
import { hmacSha256, sha256 } from './sha256.ts'

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

describe('sha256', () => {
  it('gives the digests that FIPS 180-4 gives as examples', () => {
    expect(hex(sha256(Buffer.from('abc')))).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    )
    expect(hex(sha256())).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
  })

  it('agrees with the platform at every length around a block', () => {
    for (let length = 0; length < 200; length++) {
      const bytes = new Uint8Array(length).fill(length)
      expect(hex(sha256(bytes)), `${length} bytes`).toBe(createHash('sha256').update(bytes).digest('hex'))
    }
  })

  it('agrees with the platform over a megabyte', () => {
    const bytes = Uint8Array.from({ length: 2 ** 20 }, (_, i) => i * 31)
    expect(hex(sha256(bytes))).toBe(createHash('sha256').update(bytes).digest('hex'))
  })
})

describe('hmacSha256', () => {
  it.each([
    ['the portable one', hmacSha256],
    ['the one that uses the platform', native],
  ])('agrees with node:crypto for any key and parts: %s', (_name, hmac) => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 150 }), fc.uint8Array(), fc.uint8Array(), (key, a, b) => {
        expect(hex(hmac(key, a, b))).toBe(createHmac('sha256', key).update(a).update(b).digest('hex'))
      }),
    )
  })
})
