import { expect, test } from 'vitest'
import { PrometheusText } from '../../test/prometheus-text.ts'
import { exposition } from './exposition.ts'

test('label values come back as they were, whatever stands in them', () => {
  const values = [
    'plain',
    'C:\\new\\table',
    'say "hi"',
    'two\nlines',
    '\\n',
    'a{b="c"} 1',
    '# HELP',
    'é 日本',
    '',
  ]
  const text = exposition([
    {
      name: 'workly_x',
      help: 'Two\nlines and a \\.',
      type: 'gauge',
      samples: values.map((value, i) => ({ labels: { value }, value: i })),
    },
  ])
  expect(text.split('\n')).toHaveLength(values.length + 3)
  const family = new PrometheusText(text).family('workly_x')
  expect(family.help).toBe('Two\nlines and a \\.')
  expect(family.metrics.map(metric => metric.labels?.value)).toEqual(values)
})

test('numbers are written so that Prometheus reads them', () => {
  const numbers = [
    0,
    1.5,
    1e21,
    1_800_000_000.123,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    Number.NaN,
  ]
  const text = exposition([
    {
      name: 'workly_x',
      help: 'x',
      type: 'gauge',
      samples: numbers.map((value, i) => ({ labels: { i: String(i) }, value })),
    },
  ])
  expect(text.match(/ \S+$/gm)?.slice(2)).toEqual([
    ' 0',
    ' 1.5',
    ' 1e+21',
    ' 1800000000.123',
    ' +Inf',
    ' -Inf',
    ' NaN',
  ])
})

test('a metric without labels has no braces, and the text ends with a line end', () => {
  const text = exposition([
    { name: 'workly_x', help: 'x', type: 'gauge', samples: [{ labels: {}, value: 1 }] },
  ])
  expect(text).toBe('# HELP workly_x x\n# TYPE workly_x gauge\nworkly_x 1\n')
})
