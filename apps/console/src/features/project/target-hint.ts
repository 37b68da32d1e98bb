import type { Services } from '@workly/services'

/** Which addresses a job of this installation may call (spec section 7), in words for a form. */
export function targetHint({
  allowHttp,
  allowedPrivate,
}: Pick<Services, 'allowHttp' | 'allowedPrivate'>): string {
  if (allowHttp === 'loopback') return 'Https, on the public internet; on this machine also http.'
  const scheme = allowHttp ? 'Http or https' : 'Https'
  return allowedPrivate.length > 0
    ? `${scheme}, on the public internet or in a network that the operator has opened.`
    : `${scheme}, on the public internet.`
}
