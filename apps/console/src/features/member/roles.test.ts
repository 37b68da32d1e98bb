import { expect, it } from 'vitest'
import { rolesWithin } from './roles.ts'

it('gives and takes no role above one’s own', () => {
  expect(rolesWithin('admin')).toEqual(['viewer', 'operator', 'developer', 'admin'])
  expect(rolesWithin('owner')).toContain('owner')
  expect(rolesWithin('nobody')).toEqual([])
})
