import { ERROR_CODES, type ErrorCode } from '@workly/core'
import { ERROR_GUIDE } from '../error-guide.ts'
import { html, prose } from './html.ts'
import { layout } from './layout.ts'

/** Every code of the closed list: when it comes, and what to do. The `type` of a problem points here. */
export function errorsPage(): string {
  const codes = Object.keys(ERROR_CODES) as ErrorCode[]
  const sections = codes.map(code => {
    const { status, title } = ERROR_CODES[code]
    const { when, remedy } = ERROR_GUIDE[code]
    return html`<section><h3 id="${code}"><code>${code}</code></h3><p><strong>${status}</strong> · ${title}</p>
<p>${prose(when)}</p><p>${prose(remedy)}</p></section>`
  })
  const main = html`<h1>Errors</h1>
<p>${prose('Every error is an RFC 9457 problem document (`application/problem+json`). Decide by its `code`; the list is closed. `errors` names each offending field, and `request_id` is in the header `X-Request-Id` too.')}</p>${sections}`
  const links = codes.map(code => ({ href: `#${code}`, text: code }))
  return layout('Errors', [{ title: 'Codes', links }], main)
}
