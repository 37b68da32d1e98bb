/** Text without NUL, which Postgres cannot hold; U+FFFD stands for it. */
export function withoutNul(text: string): string {
  return text.replaceAll('\u0000', '\ufffd')
}

/** What Postgres can hold: no NUL, no half of a surrogate pair. */
export function storable(text: string): string {
  return withoutNul(text).toWellFormed()
}
