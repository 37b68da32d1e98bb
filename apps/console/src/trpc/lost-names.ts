/**
 * Where an input has a field called `__proto__`: the one name that what reads it further on would drop without a word.
 * @param input as `JSON.parse` has made it, however deep
 * @returns the way to the first one found, or null
 */
export function lostName(input: unknown): PropertyKey[] | null {
  // A list of its own instead of calls within calls: the input may lie deeper than these can.
  const open: { value: unknown; path: PropertyKey[] }[] = [{ value: input, path: [] }]
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, path } = next
    if (typeof value !== 'object' || value === null) continue
    if (Object.hasOwn(value, '__proto__')) return [...path, '__proto__']
    // Deeper than any input of the console is, so it will be refused anyway.
    if (path.length > 20) continue
    for (const [name, inner] of Object.entries(value)) open.push({ value: inner, path: [...path, name] })
  }
  return null
}
