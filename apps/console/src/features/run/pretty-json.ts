const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g

/** Beyond these nobody reads it. */
const MOST_DEPTH = 100
const MOST_GROWTH = 20

function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/**
 * JSON laid out in lines, or null for a text that is no object or array, or lies so deep that laying it out would make it
 * many times as long: a target's 64 KiB of brackets would become two gigabytes. It moves the white space alone: numbers
 * beyond what a double holds, keys that stand twice and escapes stay as they were sent.
 */
export function prettyJson(text: string): string | null {
  if (!isJson(text)) return null
  const tokens = text.match(TOKENS) ?? []
  const most = MOST_GROWTH * text.length
  let depth = 0
  let out = ''
  const newLine = () => {
    out += `\n${'  '.repeat(depth)}`
  }
  for (const [index, token] of tokens.entries()) {
    if (depth > MOST_DEPTH || out.length > most) return null
    const next = tokens[index + 1]
    if (token === '{' || token === '[') {
      out += token
      depth += 1
      if (next !== '}' && next !== ']') newLine()
    } else if (token === '}' || token === ']') {
      const before = tokens[index - 1]
      depth -= 1
      if (before !== '{' && before !== '[') newLine()
      out += token
    } else if (token === ',') {
      out += token
      newLine()
    } else {
      out += token === ':' ? ': ' : token
    }
  }
  return out
}
