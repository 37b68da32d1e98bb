import { endSessions } from '@workly/services'
import { personProcedure, router } from './init.ts'

export const sessionRouter = router({
  /** Signs the person out wherever they are signed in, here too. */
  endAll: personProcedure.mutation(({ ctx }) => endSessions(ctx.services, ctx.person.userId)),
})
