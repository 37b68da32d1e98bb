import { describe, expect, it } from 'vitest'
import { bodyMessage } from './body-message.ts'

const of = (body: string) => bodyMessage(Buffer.from(body))

describe('bodyMessage', () => {
  it.each([
    ['{"message":"a","error":"b"}', 'a'],
    ['{"error":{"message":"a"},"detail":"b"}', 'a'],
    ['{"error":"a","detail":"b"}', 'a'],
    ['{"title":"b","detail":"a"}', 'a'],
    ['{"title":"a"}', 'a'],
    [' \n {"message":" a "}', 'a'],
    ['\ufeff{"message":"a"}', 'a'],
    ['{"message":"","title":"a"}', 'a'],
    ['{"message":7,"error":null,"detail":["x"],"title":"a"}', 'a'],
    ['{"message":"ž\\u0000 😀"}', 'ž 😀'],
    ['{"message":"a\\ud800"}', 'a\ufffd'],
  ])('finds it in %j', (body, message) => {
    expect(of(body)).toBe(message)
  })

  it.each([
    '',
    'a',
    '"message"',
    '[{"message":"a"}]',
    'null',
    '{"message":"a"',
    '{}',
    '{"error":{"code":1}}',
    '<p>a</p>',
  ])('finds none in %j', body => {
    expect(of(body)).toBeNull()
  })

  it('finds none in bytes that are no text', () => {
    expect(bodyMessage(Uint8Array.of(0x7b, 0xff, 0xfe, 0x7d))).toBeNull()
  })
})
