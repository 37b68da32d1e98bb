import type { Attempt } from '@workly/core'
import { prettyJson } from './pretty-json.ts'

type Body = Pick<NonNullable<Attempt['response']>, 'body' | 'body_encoding' | 'truncated'>

/** How a response's body is shown. */
export interface ShownBody {
  text: string
  /** What to say beside it; null where the text is all there is. */
  note: string | null
}

/** JSON is laid out in lines, other text stays as it came, bytes that are no text are shown in base64. */
export function shownBody({ body, body_encoding, truncated }: Body): ShownBody {
  const cut = truncated ? 'Only the first 64 KiB are kept; the rest was cut off.' : null
  if (body_encoding === 'base64') {
    const bytes = Math.floor((body.replace(/=+$/, '').length * 3) / 4)
    return { text: body, note: [`Not text: ${bytes} bytes, shown in base64.`, cut].filter(Boolean).join(' ') }
  }
  return { text: prettyJson(body) ?? body, note: cut }
}
