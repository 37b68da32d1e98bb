import { fieldPath, invalid, type WorklyError } from '@workly/core'

/** How deep arrays and objects may lie in one another, the outermost counted. */
export const MAX_DEPTH = 100
/** The most values of a body, those within a payload aside: far beyond any job's, and few enough to name what is wrong. */
export const MAX_VALUES = 20_000
/** The most characters of one number: far beyond what any program tells apart, within what Postgres stores. */
const MAX_NUMBER_LENGTH = 1_000

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const ESCAPE = /["\\/bfnrt]|u[0-9a-fA-F]{4}/y
const CLOSING = { '{': '}', '[': ']' } as const

// TypeScript's library does not know it yet; Node has it since 22.
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }

/**
 * Reads a request's body as JSON (RFC 8259), stricter than `JSON.parse` where that would lose what was sent:
 * a field given twice is refused, and so is a number that no program holds. Numbers within a `payload` keep every
 * digit: one that a double would change comes as `JSON.rawJSON`, which `JSON.stringify` writes as it was.
 * A byte order mark in front is left out (RFC 8259 section 8.1).
 *
 * @throws WorklyError `invalid_request`, naming the field or the line and column
 */
export function readJson(bytes: Uint8Array): unknown {
  return new JsonReader(decode(bytes)).document()
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    const utf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)
    throw refused(utf16 ? 'The body is UTF-16. Send it as UTF-8.' : 'The body is not UTF-8 text.')
  }
}

function refused(message: string, path: readonly PropertyKey[] = []): WorklyError {
  return invalid([{ field: fieldPath(path), message }])
}

/** Where a payload stands, written out: a job's or a step's, or the body of an organization scheduler's REST request. */
const PAYLOADS = /^(?:steps \d+ )?payload$|^(?:(?:pipeline )?steps \d+ )?restRequest body$/

/** Numbers keep every digit in here: what a customer's payload says is passed on, not reckoned with. */
function holdsPayload(path: readonly PropertyKey[]): boolean {
  const name = path.at(-1)
  return (name === 'payload' || name === 'body') && PAYLOADS.test(path.join(' '))
}

class JsonReader {
  readonly #text: string
  readonly #path: PropertyKey[] = []
  #at = 0
  #inPayload = false
  #values = 0

  constructor(text: string) {
    this.#text = text
  }

  document(): unknown {
    this.#skipSpace()
    if (this.#at === this.#text.length) throw refused('The body is empty. Send a JSON object.')
    const value = this.#value(1)
    this.#skipSpace()
    if (this.#at < this.#text.length) throw this.#unexpected('the end of the body')
    return value
  }

  #value(depth: number): unknown {
    this.#skipSpace()
    if (!this.#inPayload && ++this.#values > MAX_VALUES) {
      const message = `A request holds at most ${MAX_VALUES} values, those within a payload not counted.`
      throw refused(message, this.#path.slice(0, -1))
    }
    const first = this.#text[this.#at]
    if (first === '{' || first === '[') {
      if (depth > MAX_DEPTH) throw refused(`lies more than ${MAX_DEPTH} levels deep.`, this.#path.slice(0, 8))
      return first === '{' ? this.#object(depth) : this.#array(depth)
    }
    if (first === '"') return this.#string()
    if (first === '-' || (first !== undefined && first >= '0' && first <= '9')) return this.#number()
    if (this.#take('true')) return true
    if (this.#take('false')) return false
    if (this.#take('null')) return null
    throw this.#unexpected('a value')
  }

  #object(depth: number): object {
    const object: Record<string, unknown> = {}
    this.#at++
    if (this.#ends('{')) return object
    do {
      this.#skipSpace()
      if (this.#text[this.#at] !== '"') throw this.#unexpected('a field name in double quotes')
      const key = this.#string()
      this.#path.push(key)
      this.#checkKey(object, key)
      this.#skipSpace()
      if (!this.#take(':')) throw this.#unexpected('":"')
      const outermost = !this.#inPayload && holdsPayload(this.#path)
      if (outermost) this.#inPayload = true
      const value = this.#value(depth + 1)
      if (outermost) this.#inPayload = false
      // A plain assignment to __proto__ would set the prototype.
      Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true })
      this.#path.pop()
    } while (this.#goesOn('{'))
    return object
  }

  #checkKey(object: object, key: string): void {
    if (Object.hasOwn(object, key)) throw refused('is given twice.', this.#path)
    if (key === '__proto__' && !this.#inPayload) throw refused('is not known here.', this.#path)
  }

  #array(depth: number): unknown[] {
    const array: unknown[] = []
    this.#at++
    if (this.#ends('[')) return array
    do {
      this.#path.push(array.length)
      array.push(this.#value(depth + 1))
      this.#path.pop()
    } while (this.#goesOn('['))
    return array
  }

  /** Whether an object or array ends before its first entry. */
  #ends(opening: '{' | '['): boolean {
    this.#skipSpace()
    return this.#take(CLOSING[opening])
  }

  /** Past a comma: true; past the closing bracket: false. */
  #goesOn(opening: '{' | '['): boolean {
    this.#skipSpace()
    if (this.#take(',')) return true
    if (this.#take(CLOSING[opening])) return false
    throw this.#unexpected(`"," or "${CLOSING[opening]}"`)
  }

  #string(): string {
    const start = this.#at++
    let escaped = false
    for (;;) {
      const code = this.#text.charCodeAt(this.#at)
      if (code === 0x22) break
      if (!(code >= 0x20)) throw this.#unexpected('the closing double quote of a string')
      this.#at++
      if (code !== 0x5c) continue
      escaped = true
      ESCAPE.lastIndex = this.#at
      if (!ESCAPE.test(this.#text)) throw this.#unexpected('an escape that JSON knows')
      this.#at = ESCAPE.lastIndex
    }
    this.#at++
    if (!escaped) return this.#text.slice(start + 1, this.#at - 1)
    return JSON.parse(this.#text.slice(start, this.#at)) as string
  }

  #number(): unknown {
    NUMBER.lastIndex = this.#at
    const source = NUMBER.exec(this.#text)?.[0]
    if (source === undefined) throw this.#unexpected('a digit')
    this.#at += source.length
    const value = Number(source)
    if (source.length > MAX_NUMBER_LENGTH) {
      throw refused(`a number of at most ${MAX_NUMBER_LENGTH} characters`, this.#path)
    }
    if (!Number.isFinite(value) || (value === 0 && /[1-9]/.test(source.split(/[eE]/)[0] ?? ''))) {
      throw refused('a number of a size from 5e-324 to 1.7e308', this.#path)
    }
    return this.#inPayload && String(value) !== source ? rawJSON(source) : value
  }

  #take(word: string): boolean {
    if (!this.#text.startsWith(word, this.#at)) return false
    this.#at += word.length
    return true
  }

  #skipSpace(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at)
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return
      this.#at++
    }
  }

  #unexpected(expected: string): WorklyError {
    const before = this.#text.slice(0, this.#at).split('\n')
    const where = `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`
    const found = this.#at < this.#text.length ? '' : ', where the body ends'
    return refused(`The body is not JSON: ${expected} was expected at ${where}${found}.`)
  }
}
