import { parseCidrs } from '@workly/core'
import { expect, test } from 'vitest'
import { targetHint } from './target-hint.ts'

test.each([
  [false, '', 'Https, on the public internet.'],
  [true, '', 'Http or https, on the public internet.'],
  [false, '10.0.0.0/8', 'Https, on the public internet or in a network that the operator has opened.'],
  ['loopback', '127.0.0.0/8,::1/128', 'Https, on the public internet; on this machine also http.'],
] as const)(
  'with http %j and the networks %j open it says what may be called',
  (allowHttp, networks, hint) => {
    expect(targetHint({ allowHttp, allowedPrivate: parseCidrs(networks) })).toBe(hint)
  },
)
