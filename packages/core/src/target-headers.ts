import type { FieldIssue } from './errors.ts'

/** Bounds on a target's headers, the operator's to change (spec section 8, "Limits"). */
export interface TargetHeaderLimits {
  maxHeaders: number
  /** Names and values of all headers together, in bytes. */
  maxBytes: number
}

export const DEFAULT_TARGET_HEADER_LIMITS: TargetHeaderLimits = { maxHeaders: 50, maxBytes: 16 * 1024 }

/** Headers that frame the message or belong to the connection, and so are Workly's to set (spec section 6). */
const FORBIDDEN = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'expect',
  'upgrade',
  'callback',
])
const FORBIDDEN_PREFIXES = ['proxy-', 'workly-', 'webhook-', 'x-scheduler-']

/** RFC 9110 section 5.6.2. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
/** RFC 9110 section 5.5 with obs-text: a value goes out as Latin-1, without control characters but the tab. */
const NOT_IN_A_VALUE = /[^\t\x20-\x7e\x80-\xff]/

/** Whether a customer may set a header of this name on the request to a target. */
export function isForbiddenTargetHeader(name: string): boolean {
  const lower = name.toLowerCase()
  return FORBIDDEN.has(lower) || FORBIDDEN_PREFIXES.some(prefix => lower.startsWith(prefix))
}

function nameProblem(name: string): string | null {
  if (name === '') return 'A header needs a name.'
  if (!TOKEN.test(name)) {
    return `${JSON.stringify(name)} is no header name; letters, digits and !#$%&'*+-.^_\`|~ are allowed.`
  }
  return isForbiddenTargetHeader(name) ? `The header ${name} is set by Workly and cannot be given.` : null
}

function valueProblem(name: string, value: string): string | null {
  if (/[\r\n\0]/.test(value)) return `The value of ${name} may not hold a line break or NUL.`
  if (!NOT_IN_A_VALUE.test(value)) return null
  return `The value of ${name} holds a character that a header cannot carry; use Latin-1 without control characters.`
}

/**
 * What is wrong with the headers a customer gives for a target (spec section 6), each offending header named; empty
 * when all are fine. Fields are `headers` and `headers.<name>`.
 */
export function checkTargetHeaders(
  headers: Readonly<Record<string, string>>,
  limits: TargetHeaderLimits = DEFAULT_TARGET_HEADER_LIMITS,
): FieldIssue[] {
  const issues: FieldIssue[] = []
  const seen = new Map<string, string>()
  let bytes = 0
  const entries = Object.entries(headers)
  for (const [name, value] of entries) {
    bytes += name.length + value.length
    const earlier = seen.get(name.toLowerCase())
    seen.set(name.toLowerCase(), name)
    const message =
      nameProblem(name) ??
      valueProblem(name, value) ??
      (earlier === undefined ? null : `${earlier} and ${name} are the same header; give it once.`)
    if (message !== null) issues.push({ field: `headers.${name}`, message })
  }
  if (entries.length > limits.maxHeaders) {
    const message = `${entries.length} headers are given; at most ${limits.maxHeaders} are allowed.`
    issues.push({ field: 'headers', message })
  }
  if (bytes > limits.maxBytes) {
    const message = `The headers have ${bytes} bytes together; at most ${limits.maxBytes} are allowed.`
    issues.push({ field: 'headers', message })
  }
  return issues
}
