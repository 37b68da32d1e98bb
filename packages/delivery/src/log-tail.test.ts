import { describe, expect, it } from 'vitest'
import { LogTail } from './log-tail.ts'

function tailOf(limit: number, ...chunks: string[]): string {
  const tail = new LogTail(limit)
  for (const chunk of chunks) tail.push(Buffer.from(chunk))
  return tail.log().text
}

describe('LogTail', () => {
  it('keeps all of what is short and the end of what is long', () => {
    expect(tailOf(10)).toBe('')
    expect(tailOf(10, 'abc', 'def')).toBe('abcdef')
    expect(tailOf(4, 'abc', 'def')).toBe('cdef')
    expect(tailOf(4, ...Array.from({ length: 100 }, (_, i) => `${i % 10}`))).toBe('6789')
    expect(tailOf(3, 'x'.repeat(1_000_000), 'end')).toBe('end')
  })

  it('does not begin inside a character', () => {
    expect(tailOf(4, 'aé', 'xyz')).toBe('xyz')
    expect(tailOf(5, '😀', 'wxyz')).toBe('wxyz')
    expect(tailOf(8, '😀', 'wxyz')).toBe('😀wxyz')
  })

  it('leaves bytes that are no text alone where nothing was cut', () => {
    const tail = new LogTail(10)
    tail.push(Uint8Array.of(0x80, 0x41))
    expect(tail.log()).toEqual({ text: '\uFFFDA', isCut: false })
  })

  it('knows by its bytes, not by the text they become, whether it is cut', () => {
    const log = (limit: number) => {
      const tail = new LogTail(limit)
      for (const byte of [0xff, 0, 0xc3, 0x0a]) tail.push(Uint8Array.of(byte))
      return tail.log()
    }
    expect(log(4)).toEqual({ text: '\uFFFD\uFFFD\uFFFD\n', isCut: false })
    expect(log(3)).toEqual({ text: '\uFFFD\uFFFD\n', isCut: true })
  })

  it('shows a NUL, which no database takes', () => {
    expect(tailOf(10, 'a\0b')).toBe('a\uFFFDb')
  })
})
