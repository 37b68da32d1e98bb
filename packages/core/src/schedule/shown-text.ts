const LONGEST_SHOWN = 40

/**
 * A piece of what was sent, fit to stand in a message: quoted, at most 40 characters, and nothing in it that could
 * break a line, hide or reorder text (control, format and surrogate characters become `\u{…}`).
 */
export function shownText(text: string): string {
  const characters = Array.from(text.slice(0, LONGEST_SHOWN + 2))
  const visible = characters
    .slice(0, LONGEST_SHOWN)
    .map(c => (/[\p{C}\p{Z}]/u.test(c) && c !== ' ' ? `\\u{${c.codePointAt(0)?.toString(16)}}` : c))
    .join('')
  return `"${visible}${text.length > LONGEST_SHOWN ? '…' : ''}"`
}
