import { TRPCError } from '@trpc/server'
import { invalid, WorklyError } from '@workly/core'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { asTRPCError, isWorklyError, publicError } from './public-error.ts'

function thrown(cause: unknown, code: TRPCError['code'] = 'INTERNAL_SERVER_ERROR'): TRPCError {
  return new TRPCError({ code, message: 'inside', cause })
}

describe('publicError', () => {
  it('keeps the code, detail and issues of an error that callers may see', () => {
    const { error, isExpected } = publicError(
      thrown(invalid([{ field: 'cron', message: 'has six fields.' }])),
    )
    expect(isExpected).toBe(true)
    expect(error.code).toBe('invalid_request')
    expect(error.issues).toEqual([{ field: 'cron', message: 'has six fields.' }])
    expect(asTRPCError(error).code).toBe('BAD_REQUEST')
  })

  it('shows nothing of an error that nobody foresaw', () => {
    const { error, isExpected } = publicError(thrown(new Error('password=hunter2 at db.internal')))
    expect(isExpected).toBe(false)
    expect(error.code).toBe('internal')
    expect(JSON.stringify({ detail: error.message, issues: error.issues })).not.toContain('hunter2')
    expect(asTRPCError(error).message).not.toContain('inside')
  })

  it('names the field that a call’s input has wrong', () => {
    const parsed = z.object({ limit: z.int().max(200, 'at most 200') }).safeParse({ limit: 999 })
    const { error } = publicError(thrown(parsed.error, 'BAD_REQUEST'))
    expect(error.issues).toEqual([{ field: 'limit', message: 'at most 200' }])
  })

  it('gives every status its own code of tRPC', () => {
    expect(asTRPCError(new WorklyError('forbidden', 'no')).code).toBe('FORBIDDEN')
    expect(asTRPCError(new WorklyError('run_finished', 'no')).code).toBe('CONFLICT')
    expect(asTRPCError(new WorklyError('precondition_failed', 'no')).code).toBe('PRECONDITION_FAILED')
  })
})

describe('isWorklyError', () => {
  it('knows a WorklyError of another copy of the class, and no impostor', () => {
    expect(isWorklyError(Object.assign(new Error('x'), { name: 'WorklyError', code: 'conflict' }))).toBe(true)
    expect(isWorklyError(Object.assign(new Error('x'), { name: 'WorklyError', code: 'ENOENT' }))).toBe(false)
    expect(isWorklyError({ name: 'WorklyError', code: 'conflict' })).toBe(false)
  })
})
