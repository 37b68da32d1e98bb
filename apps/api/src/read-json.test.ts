import { WorklyError } from '@workly/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_DEPTH, MAX_VALUES, readJson } from './read-json.ts'

function read(text: string): unknown {
  return readJson(new TextEncoder().encode(text))
}

function issueOf(text: string | Uint8Array): { field: string; message: string } {
  try {
    if (typeof text === 'string') read(text)
    else readJson(text)
  } catch (error) {
    if (error instanceof WorklyError && error.code === 'invalid_request' && error.issues[0])
      return error.issues[0]
    throw error
  }
  throw new Error('was read')
}

describe('readJson reads what JSON.parse reads', () => {
  it('any document, within a payload and outside', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6, stringUnit: 'binary' }), text => {
        const wrapped = read(`{"payload": ${text}}`) as { payload: unknown }
        expect(JSON.stringify(wrapped.payload)).toBe(JSON.stringify(JSON.parse(text)))
      }),
      { numRuns: 500 },
    )
  })

  it('and refuses what it refuses, one character put in or taken out', () => {
    const spoilt = fc.tuple(
      fc.json({ maxDepth: 4 }),
      fc.nat(),
      fc.constantFrom('', ...'{}[]",:\\0-+.eE nu\u0000\n\t'),
    )
    fc.assert(
      fc.property(spoilt, ([text, where, put]) => {
        const at = where % (text.length + 1)
        const changed = text.slice(0, at) + put + text.slice(put === '' ? at + 1 : at)
        let mine: { read: unknown } | undefined
        try {
          mine = { read: read(`{"payload": ${changed}}`) }
        } catch (error) {
          expect(error).toBeInstanceOf(WorklyError)
        }
        if (mine) expect(JSON.parse(JSON.stringify(mine.read))).toEqual(JSON.parse(`{"payload": ${changed}}`))
      }),
      { numRuns: 2_000 },
    )
  })

  it.each([
    ['an escape', '"a\\u00e9\\n\\"\\\\\\/"', 'aé\n"\\/'],
    ['half of a surrogate pair', '"\\ud800"', '\ud800'],
    ['a number outside a payload', '1.50', 1.5],
    ['space of all four kinds', ' \t\r\n[ 1 ,\n2 ]\n', [1, 2]],
    ['an empty object', '{ }', {}],
    ['a byte order mark in front', '\ufeff{"a":1}', { a: 1 }],
    ['names of Object.prototype', '{"constructor":1,"toString":2}', { constructor: 1, toString: 2 }],
  ])('%s', (_, text, value) => {
    expect(read(text)).toEqual(value)
  })
})

describe('numbers within a payload', () => {
  it.each([
    '9007199254740993',
    '-9007199254740993',
    '12345678901234567890123456789',
    '0.1000000000000000055511151231257827',
    '1.0',
    '1.50',
    '-0',
    '1E5',
    '1e+2',
    '5e-324',
    `0.${'1'.repeat(900)}`,
  ])('keep every digit: %s', number => {
    const value = read(`{"payload": {"n": [${number}]}}`)
    expect(JSON.stringify(value)).toBe(`{"payload":{"n":[${number}]}}`)
  })

  it('are plain numbers where nothing is lost', () => {
    expect(read('{"payload": [1, 2.5, -3, 1e+21]}')).toEqual({ payload: [1, 2.5, -3, 1e21] })
  })

  it('keep every digit in the payload of a step, and are plain outside', () => {
    const value = read('{"steps": [{"payload": 1.0, "timeout_seconds": 1.0}], "max_attempts": 3.0}')
    expect(JSON.stringify(value)).toBe('{"steps":[{"payload":1.0,"timeout_seconds":1}],"max_attempts":3}')
  })

  it.each(['1e309', '-1e309', '1e-400', `${'9'.repeat(400)}`, `1e${'9'.repeat(500)}`])(
    'are refused beyond what programs hold: %s',
    number => {
      expect(issueOf(`{"payload": {"deep": [0, ${number}]}}`)).toEqual({
        field: 'payload.deep[1]',
        message: 'a number of a size from 5e-324 to 1.7e308',
      })
    },
  )

  it('are refused over 1000 characters, however small', () => {
    expect(issueOf(`{"payload": 0.${'1'.repeat(1_000)}}`)).toEqual({
      field: 'payload',
      message: 'a number of at most 1000 characters',
    })
  })
})

describe('what JSON.parse would lose is refused', () => {
  it('a field given twice, named with its path', () => {
    expect(issueOf('{"headers": {"a": "1", "b": "2", "a": "3"}}')).toEqual({
      field: 'headers.a',
      message: 'is given twice.',
    })
  })

  it('a field given twice in another spelling', () => {
    expect(issueOf('{"url": 1, "\\u0075rl": 2}').field).toBe('url')
  })

  it('a field given twice in a payload', () => {
    expect(issueOf('{"payload": [{"x": 1}, {"x": 1, "x": 1}]}').field).toBe('payload[1].x')
  })

  it('__proto__ as a setting', () => {
    expect(issueOf('{"__proto__": {"admin": true}}')).toEqual({
      field: '__proto__',
      message: 'is not known here.',
    })
  })

  it('but __proto__ within a payload is data and sets no prototype', () => {
    const value = read('{"payload": {"__proto__": {"admin": true}}}') as { payload: { admin?: boolean } }
    expect(value.payload.admin).toBeUndefined()
    expect(JSON.stringify(value)).toBe('{"payload":{"__proto__":{"admin":true}}}')
  })
})

describe('the number of values', () => {
  const list = (n: number) => `[${Array.from({ length: n }, () => '1').join(',')}]`
  const message = `A request holds at most ${MAX_VALUES} values, those within a payload not counted.`

  it('has a bound, and what is over it is refused where it stands', () => {
    // The object and the list are values too.
    expect(read(`{"tags": ${list(MAX_VALUES - 2)}}`)).toBeDefined()
    expect(issueOf(`{"tags": ${list(MAX_VALUES - 1)}}`)).toEqual({ field: 'tags', message })
    const env = Array.from({ length: MAX_VALUES }, (_, i) => `"V${i}": 1`).join(',')
    expect(issueOf(`{"steps": [{"image": {"env": {${env}}}}]}`)).toEqual({
      field: 'steps[0].image.env',
      message,
    })
  })

  it('within a payload has none', () => {
    const payload = list(MAX_VALUES * 2)
    expect(read(`{"payload": ${payload}, "steps": [{"payload": ${payload}}]}`)).toBeDefined()
  })
})

describe('nesting', () => {
  it(`is read down to ${MAX_DEPTH} levels`, () => {
    const text = `${'['.repeat(MAX_DEPTH)}${']'.repeat(MAX_DEPTH)}`
    expect(JSON.stringify(read(text))).toBe(text)
  })

  it.each([
    ['arrays', '['.repeat(MAX_DEPTH + 1)],
    ['a megabyte of arrays', '['.repeat(1_000_000)],
    ['a megabyte of objects', '{"a":'.repeat(200_000)],
  ])('deeper is refused: %s', (_, text) => {
    expect(issueOf(text).message).toBe('lies more than 100 levels deep.')
  })
})

describe('what is not JSON says where', () => {
  it.each([
    ['', 'The body is empty. Send a JSON object.'],
    ['  \n', 'The body is empty. Send a JSON object.'],
    [
      '{',
      'The body is not JSON: a field name in double quotes was expected at line 1, column 2, where the body ends.',
    ],
    ['{"a":1,}', 'The body is not JSON: a field name in double quotes was expected at line 1, column 8.'],
    ["{'a':1}", 'The body is not JSON: a field name in double quotes was expected at line 1, column 2.'],
    ['{"a" 1}', 'The body is not JSON: ":" was expected at line 1, column 6.'],
    ['{"a":1\n"b":2}', 'The body is not JSON: "," or "}" was expected at line 2, column 1.'],
    ['[1 2]', 'The body is not JSON: "," or "]" was expected at line 1, column 4.'],
    ['[01]', 'The body is not JSON: "," or "]" was expected at line 1, column 3.'],
    ['{"a": -}', 'The body is not JSON: a digit was expected at line 1, column 7.'],
    ['{"a": undefined}', 'The body is not JSON: a value was expected at line 1, column 7.'],
    [
      '{"a": "b',
      'The body is not JSON: the closing double quote of a string was expected at line 1, column 9, where the body ends.',
    ],
    [
      '{"a": "b\nc"}',
      'The body is not JSON: the closing double quote of a string was expected at line 1, column 9.',
    ],
    ['{"a": "\\x"}', 'The body is not JSON: an escape that JSON knows was expected at line 1, column 9.'],
    ['{} {}', 'The body is not JSON: the end of the body was expected at line 1, column 4.'],
    ['a=b&c=d', 'The body is not JSON: a value was expected at line 1, column 1.'],
    ['\u0000', 'The body is not JSON: a value was expected at line 1, column 1.'],
  ])('%j', (text, message) => {
    expect(issueOf(text)).toEqual({ field: '', message })
  })

  it('bytes that are not UTF-8', () => {
    expect(issueOf(Uint8Array.of(0x22, 0xff, 0x22)).message).toBe('The body is not UTF-8 text.')
  })

  it('an overlong encoding', () => {
    expect(issueOf(Uint8Array.of(0x22, 0xc0, 0xaf, 0x22)).message).toBe('The body is not UTF-8 text.')
  })

  it.each(['utf16le', 'utf16be'])('UTF-16, as some shells write it: %s', encoding => {
    const little = Buffer.from('\ufeff{"a":1}', 'utf16le')
    const bytes = encoding === 'utf16le' ? little : Buffer.from(little).swap16()
    expect(issueOf(bytes).message).toBe('The body is UTF-16. Send it as UTF-8.')
  })
})

it('reads two megabytes of one string or one number without trouble', () => {
  const long = 'x'.repeat(2_000_000)
  expect(read(`{"body": "${long}"}`)).toEqual({ body: long })
  expect(read(`{"body": "${'\\n'.repeat(1_000_000)}"}`)).toEqual({ body: '\n'.repeat(1_000_000) })
  expect(issueOf(`{"payload": ${'1'.repeat(2_000_000)}}`).message).toMatch(/at most 1000/)
})
