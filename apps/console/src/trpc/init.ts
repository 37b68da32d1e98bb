import { initTRPC } from '@trpc/server'
import { fieldPath, invalid, WorklyError } from '@workly/core'
import {
  consoleContext,
  type MakeCall,
  type ProjectContext,
  readSession,
  type Services,
  type Session,
} from '@workly/services'
import { z } from 'zod'
import { log } from '../log.ts'
import { lostName } from './lost-names.ts'
import { asTRPCError, isWorklyError, type PublicError, publicError } from './public-error.ts'

/** What a call comes with: who is signed in, and nothing that could not be read anew from the database. */
export interface CallContext {
  services: Services
  session: Session | null
  requestId: string
  /** Makes test calls, through the network guard. */
  makeCall: MakeCall
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

/** For anybody: what is brought proves who may. */
export const openProcedure = t.procedure.use(translateErrors).use(async ({ next, getRawInput }) => {
  refuseLostNames(await getRawInput())
  return next()
})

/** A session is brought; whether it lives is for the next step to ask. */
const sessionProcedure = t.procedure.use(translateErrors).use(async ({ ctx, next, getRawInput }) => {
  if (ctx.session === null) throw signedOut()
  refuseLostNames(await getRawInput())
  return next({ ctx: { ...ctx, session: ctx.session } })
})

function refuseLostNames(input: unknown): void {
  const lost = lostName(input)
  if (lost) throw invalid([{ field: fieldPath(lost), message: 'is not known here.' }])
}

function signedOut(): WorklyError {
  return new WorklyError('unauthorized', 'You are signed out. Sign in again.')
}

/** For anybody who is signed in. The session is looked up anew on every call. */
export const personProcedure = sessionProcedure.use(async ({ ctx, next }) => {
  const person = await readSession(ctx.services, ctx.session)
  if (!person) throw signedOut()
  return next({ ctx: { ...ctx, person } })
})

/** A slug or an id. */
const place = z.string().regex(/^[\w-]{1,100}$/, 'a slug or an id')
export const projectScope = z.object({ organization: place, project: place })

/** For a member, within one project. Session and membership are read anew on every call (spec section 10). */
export const projectProcedure = sessionProcedure.input(projectScope).use(async ({ ctx, input, next }) => {
  const project: ProjectContext = await consoleContext(
    ctx.services,
    ctx.session,
    input.organization,
    input.project,
    ctx.requestId,
  )
  return next({ ctx: { ...ctx, project } })
})
