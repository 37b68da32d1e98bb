import { LIMIT_DEFAULTS } from '@workly/services'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { LimitList } from './limit-list.tsx'

test('every limit in force is shown in words, to be read and not to be set', () => {
  const limits = { ...LIMIT_DEFAULTS, project_calls_in_flight: 1_234 }
  const html = renderToStaticMarkup(createElement(LimitList, { limits }))
  expect(html).toContain('The operator of this Workly sets them.')
  expect(html).toContain('1,234')
  // Words, and no setting's own name.
  for (const key of Object.keys(limits)) expect(html).not.toContain(key)
  expect(html.match(/class="tnum"/g)).toHaveLength(Object.keys(limits).length)
  expect(html).not.toMatch(/<(?:input|button|select|textarea|form|a)\b/)
})
