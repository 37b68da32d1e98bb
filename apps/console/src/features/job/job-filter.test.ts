import { describe, expect, it } from 'vitest'
import { isFiltered, readJobFilter, writeJobFilter } from './job-filter.ts'

describe('the filter of the list of jobs', () => {
  it('comes back from the address as it was written', () => {
    const filter = {
      search: 'nightly & co',
      state: 'paused' as const,
      kind: 'image' as const,
      tag: 'billing',
    }
    expect(readJobFilter(new URLSearchParams(writeJobFilter(filter)))).toEqual(filter)
  })

  it('leaves out what it does not know', () => {
    expect(readJobFilter(new URLSearchParams('state=broken&page=3'))).toEqual({
      search: undefined,
      state: undefined,
      kind: undefined,
      tag: undefined,
    })
  })

  it('writes nothing for everything', () => {
    expect(writeJobFilter({})).toBe('')
    expect(isFiltered({})).toBe(false)
    expect(isFiltered({ tag: 'a' })).toBe(true)
  })
})
