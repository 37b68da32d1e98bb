import { describe, expect, it } from 'vitest'
import { shownBody } from './body-text.ts'

describe('shownBody', () => {
  it('lays JSON out and says nothing beside it', () => {
    expect(shownBody({ body: '{"ok":true}', body_encoding: 'utf8', truncated: false })).toEqual({
      text: '{\n  "ok": true\n}',
      note: null,
    })
  })

  it('says that a body was cut off', () => {
    const shown = shownBody({ body: '{"ok":tr', body_encoding: 'utf8', truncated: true })
    expect(shown.text).toBe('{"ok":tr')
    expect(shown.note).toContain('cut off')
  })

  it('counts the bytes of what is no text', () => {
    const shown = shownBody({
      body: Buffer.from([255, 0, 1, 2]).toString('base64'),
      body_encoding: 'base64',
      truncated: false,
    })
    expect(shown.note).toContain('4 bytes')
  })
})
