import { initTRPC } from '@trpc/server'
import { WorklyError } from '@workly/core'
import { consoleContext, type ProjectContext, type Services } from '@workly/services'
import { z } from 'zod'
import { log } from '../log.ts'
import { asTRPCError, isWorklyError, type PublicError, publicError } from './public-error.ts'

/** What a call comes with: who is signed in, and nothing that could not be read anew from the database. */
export interface CallContext {
  services: Services
  userId: string | null
  requestId: string
}

const t = initTRPC.context<CallContext>().create({
  isDev: false,
  errorFormatter({ shape, error, ctx }) {
    const shown = isWorklyError(error.cause) ? error.cause : publicError(error).error
    const workly: PublicError = {
      code: shown.code,
      detail: shown.message,
      issues: shown.issues,
      request_id: ctx?.requestId ?? '',
    }
    return {
      message: shown.message,
      code: shape.code,
      data: { code: shape.data.code, httpStatus: shape.data.httpStatus, workly },
    }
  },
})

export const router = t.router
export const createCaller = t.createCallerFactory

/** The one place where what a verb throws becomes what a caller may see; the rest is logged. */
const translateErrors = t.middleware(async ({ ctx, next, path }) => {
  const result = await next()
  if (result.ok) return result
  const { error, isExpected } = publicError(result.error)
  if (!isExpected) log().error({ err: result.error, call: path, requestId: ctx.requestId }, 'a call failed')
  throw asTRPCError(error)
})

/** For anybody who is signed in. */
export const personProcedure = t.procedure.use(translateErrors).use(({ ctx, next }) => {
  if (ctx.userId === null) throw new WorklyError('unauthorized', 'You are signed out. Sign in again.')
  return next({ ctx: { ...ctx, userId: ctx.userId } })
})

/** A slug or an id. */
const place = z.string().regex(/^[\w-]{1,100}$/, 'a slug or an id')
export const projectScope = z.object({ organization: place, project: place })

/** For a member, within one project. Membership is read anew on every call (spec section 10). */
export const projectProcedure = personProcedure.input(projectScope).use(async ({ ctx, input, next }) => {
  const project: ProjectContext = await consoleContext(
    ctx.services,
    ctx.userId,
    input.organization,
    input.project,
    ctx.requestId,
  )
  return next({ ctx: { ...ctx, project } })
})
