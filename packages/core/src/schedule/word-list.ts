/** `a`, `a and b`, `a, b and c`. */
export function wordList(words: readonly string[]): string {
  const last = words.at(-1) ?? ''
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`
}

/** Ascending numbers as words, runs of three or more as `a to b`. */
export function runsOf(values: readonly number[], word: (value: number) => string): string {
  const words: string[] = []
  for (let i = 0; i < values.length; ) {
    let end = i
    while (values[end + 1] === (values[end] ?? 0) + 1) end++
    const run = values.slice(i, end + 1)
    if (run.length > 2) words.push(`${word(run[0] ?? 0)} to ${word(run.at(-1) ?? 0)}`)
    else words.push(...run.map(word))
    i = end + 1
  }
  return wordList(words)
}

/** `1st`, `2nd`, `3rd`, `11th`. */
export function ordinal(n: number): string {
  const teen = n % 100 > 10 && n % 100 < 14
  const ending = teen ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th')
  return `${n}${ending}`
}

/** `HH:MM`, and `:SS` where it is not 0. */
export function clockText(hour: number, minute: number, second: number): string {
  const two = (n: number) => String(n).padStart(2, '0')
  return `${two(hour)}:${two(minute)}${second === 0 ? '' : `:${two(second)}`}`
}
