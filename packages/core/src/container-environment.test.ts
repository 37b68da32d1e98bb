import { describe, expect, it } from 'vitest'
import { checkConfigName, checkVariableName, checkVariablePrefix } from './container-environment.ts'

describe('names in a container environment', () => {
  it.each(['A', '_a', 'a1', 'my.var', 'my-var', '-', '.a', 'CALLBACKURI'])('takes the variable %s', name => {
    expect(checkVariableName(name)).toBeNull()
  })

  it.each(['', '1A', 'A=B', 'A B', 'A\0', 'é', '.', '..', '..a', 'callbackUri', 'x'.repeat(257)])(
    'refuses the variable %j',
    name => {
      expect(checkVariableName(name)).toBeTypeOf('string')
    },
  )

  it('takes an empty prefix and refuses a bad one', () => {
    expect(checkVariablePrefix('')).toBeNull()
    expect(checkVariablePrefix('APP_')).toBeNull()
    expect(checkVariablePrefix('1_')).toContain('begin with a digit')
  })

  it.each(['db', 'db-1', 'a.b-c.d', '0', 'x'.repeat(253)])('takes the secret %s', name => {
    expect(checkConfigName(name)).toBeNull()
  })

  it.each(['', 'DB', 'a_b', '-a', 'a-', '.a', 'a.', 'a..b', '../x', 'a/b', 'x'.repeat(254), 'a\n'])(
    'refuses the secret %j',
    name => {
      expect(checkConfigName(name)).toContain('lower-case')
    },
  )
})
