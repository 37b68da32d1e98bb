import { describe, expect, it } from 'vitest'
import { prettyJson } from './pretty-json.ts'

describe('prettyJson', () => {
  it.each([{ a: 1, b: [1, 2, { c: null }], d: {}, e: [], f: 'x, {y}: [z] "q" \\' }, [[], {}, [[1]], 'é\n']])(
    'lays %j out as JSON.stringify does',
    value => {
      expect(prettyJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2))
    },
  )

  it('keeps numbers, escapes and repeated keys as they were sent', () => {
    expect(prettyJson('{"id":12345678901234567890,"a":"\\u00e9","a":1.0}')).toBe(
      '{\n  "id": 12345678901234567890,\n  "a": "\\u00e9",\n  "a": 1.0\n}',
    )
  })

  it('drops the white space that was there', () => {
    expect(prettyJson(' {\n\n"a" :\t[ 1 ,2 ] }')).toBe('{\n  "a": [\n    1,\n    2\n  ]\n}')
  })

  it.each([
    ['deep', `${'['.repeat(32_000)}${']'.repeat(32_000)}`],
    ['deep objects', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`],
    ['wide at some depth', `${'['.repeat(90)}${'[],'.repeat(20_000)}[]${']'.repeat(90)}`],
  ])('leaves what would grow out of all measure as it is: %s', (_, text) => {
    expect(() => JSON.parse(text)).not.toThrow()
    expect(prettyJson(text)).toBeNull()
  })

  it.each(['', 'plain', '"text"', '12', '{"cut": ', '<p>{}</p>'])('leaves %s to be shown as it is', text => {
    expect(prettyJson(text)).toBeNull()
  })
})
