import { CronExpressionParser } from 'cron-parser'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { randomCron } from '../../test/cron-arbitrary.ts'
import { readCron } from './cron-expression.ts'

describe('the values of each field', () => {
  it('are those that cron-parser expands it to', () => {
    fc.assert(
      fc.property(fc.oneof(randomCron(), randomCron(true)), ({ text, dialect }) => {
        // cron-parser refuses a list that names a value twice, so each item of a list is asked by itself.
        const parts = text.split(' ')
        const own = readCron(text, dialect)
        if (own === null) return
        const names = ['second', 'minute', 'hour', 'dayOfMonth', 'month', 'dayOfWeek'] as const
        for (const name of names.slice(6 - parts.length)) {
          const i = names.indexOf(name) - (6 - parts.length)
          const values = (parts[i] ?? '').split(',').flatMap(item => {
            const alone = ['*', '*', '*', '*', '*', '*']
            alone[names.indexOf(name)] = item
            return CronExpressionParser.parse(alone.join(' ')).fields[name].values.map(v =>
              name === 'dayOfWeek' ? Number(v) % 7 : Number(v),
            )
          })
          expect(own[name].values).toEqual([...new Set(values)].sort((a, b) => a - b))
        }
      }),
      { numRuns: 200 },
    )
  })
})
