import { SECRET_MASK } from '@workly/core'
import { expect, test } from 'vitest'
import { storedMessage } from '../attempt/stored-result.ts'
import { KEPT_LOG_BYTES, logBytesToAskFor, storedLog } from './stored-log.ts'

const SECRET = 'hunter22-and-more'
const endOf = (text: string, bytes: number) => Buffer.from(text).subarray(-bytes).toString()

test('a short log is kept whole, with its secrets masked', () => {
  expect(storedLog(`a ${SECRET} b\n`, false, [SECRET])).toEqual({
    log: `a ${SECRET_MASK} b\n`,
    truncated: false,
  })
  expect(storedLog('', false, [SECRET])).toEqual({ log: '', truncated: false })
  expect(storedLog(null, false, [SECRET])).toEqual({ log: null, truncated: false })
})

test('of a long log the last 64 KiB are kept, and it is marked', () => {
  const text = 'x'.repeat(200_000)
  const asked = endOf(text, logBytesToAskFor([]))
  expect(storedLog(asked, true, [])).toEqual({ log: 'x'.repeat(KEPT_LOG_BYTES), truncated: true })
  expect(storedLog('x'.repeat(KEPT_LOG_BYTES), false, [])).toMatchObject({ truncated: false })
  expect(storedLog('x'.repeat(KEPT_LOG_BYTES + 1), false, [])).toMatchObject({ truncated: true })
})

test('no character is cut in two', () => {
  const { log } = storedLog(`${'é'.repeat(KEPT_LOG_BYTES)}x`, false, [])
  expect(log).toBe(`${'é'.repeat(KEPT_LOG_BYTES / 2 - 1)}x`)
})

test.each([0, 1, 5, SECRET.length - 1, SECRET.length, SECRET.length + 1, 40])(
  'a secret that the cut goes through, %d bytes from it, leaves nothing of itself',
  offset => {
    const asked = logBytesToAskFor([SECRET])
    for (const place of [asked, KEPT_LOG_BYTES]) {
      const after = 'y'.repeat(place - offset)
      const { log, truncated } = storedLog(endOf(`${'x'.repeat(100_000)}${SECRET}${after}`, asked), true, [
        SECRET,
      ])
      expect(truncated).toBe(true)
      for (let i = 0; i + 4 <= SECRET.length; i++) expect(log).not.toContain(SECRET.slice(i, i + 4))
      expect(log?.endsWith('yyyy')).toBe(true)
    }
  },
)

test('many secrets that are masked shorten a log, and what was cut before is still marked and masked', () => {
  const asked = logBytesToAskFor([SECRET])
  const text = endOf(`${SECRET} `.repeat(20_000), asked)
  const { log, truncated } = storedLog(text, true, [SECRET])
  expect(truncated).toBe(true)
  expect(log?.replaceAll(SECRET_MASK, '').trim()).toBe('')
})

test('a log that is no text is marked by what is left out, however long its text became', () => {
  const bytes = '\ufffd'.repeat(KEPT_LOG_BYTES / 4)
  expect(storedLog(bytes, false, [SECRET])).toEqual({ log: bytes, truncated: false })
  expect(storedLog(bytes, true, [SECRET])).toEqual({ log: bytes, truncated: true })
  const longer = storedLog(`${SECRET}${bytes}${bytes}${SECRET}`, false, [SECRET])
  expect(longer.truncated).toBe(true)
  expect(Buffer.byteLength(longer.log ?? '')).toBeLessThanOrEqual(KEPT_LOG_BYTES)
  expect(longer.log?.endsWith(`\ufffd${SECRET_MASK}`)).toBe(true)
})

test('a log that was longer only before it was masked is all there', () => {
  const text = `${SECRET} `.repeat(4_000)
  expect(storedLog(text, false, [SECRET])).toEqual({ log: `${SECRET_MASK} `.repeat(4_000), truncated: false })
})

test('a message is masked before it is cut, and can be stored', () => {
  expect(storedMessage(null, [SECRET])).toBeNull()
  expect(storedMessage(`no ${SECRET}\u0000`, [SECRET])).toBe(`no ${SECRET_MASK}\ufffd`)
  expect(storedMessage(`${'x'.repeat(1_995)}${SECRET}`, [SECRET])).not.toContain('hunter')
})
