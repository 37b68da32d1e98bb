import { ATTEMPT_CLASSES } from '@workly/core'
import { describe, expect, it } from 'vitest'
import { adviceWords, classWords, countWords, skipWords } from './words.ts'

describe('classWords', () => {
  it.each(ATTEMPT_CLASSES)('has words of its own for %s', errorClass => {
    expect(classWords(errorClass)).not.toBe('The attempt failed.')
  })

  it('says what a kind of status asks for', () => {
    expect(classWords('http_status', 302)).toContain('Redirects are not followed')
    expect(classWords('http_status', 404)).toContain('refused the request')
    expect(classWords('http_status', 429)).toContain('too often')
    expect(classWords('http_status', 503)).toContain('on its side')
  })
})

describe('adviceWords', () => {
  it('adds what to do, and nothing where that would only repeat the failure', () => {
    expect(adviceWords('dns', null)).toContain('DNS records')
    expect(adviceWords('callback_failed', 204)).toBeNull()
    expect(adviceWords('container_exit', null)).toBeNull()
  })
})

describe('skipWords', () => {
  it('tells overlap and missed apart', () => {
    expect(skipWords('overlap')).toContain('still going')
    expect(skipWords('missed')).toContain('within a minute')
  })
})

describe('countWords', () => {
  it('counts each state once', () => {
    expect(countWords(['succeeded', 'failed', 'succeeded'])).toBe('2 succeeded, 1 failed')
    expect(countWords([])).toBe('')
  })
})
