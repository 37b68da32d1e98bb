import { createHash } from 'node:crypto'
import { RUN_STATES, wireText } from '@workly/core'
import { cancelRun, getRun, listRuns, retryRun, untilGone } from '@workly/services'
import { z } from 'zod'
import { projectProcedure, router } from './init.ts'

const id = z.object({ id: wireText(100) })

const listInput = z.object({
  job: wireText(200).optional(),
  state: z.enum(RUN_STATES).optional(),
  limit: z.int().min(1).max(200).optional(),
  cursor: wireText(500).nullish(),
})

export const runRouter = router({
  list: projectProcedure.input(listInput).query(({ ctx, input }) => {
    const { job, state, limit, cursor } = input
    return listRuns(ctx.project, { job, state, limit, cursor: cursor ?? undefined })
  }),
  /** With what the caller has seen already, an unchanged run is not sent again: its bodies may be long. */
  get: projectProcedure.input(id.extend({ seen: wireText(64).optional() })).query(async ({ ctx, input }) => {
    const run = await getRun(ctx.project, input.id)
    const tag = createHash('sha256').update(JSON.stringify(run)).digest('base64url')
    return { tag, run: tag === input.seen ? null : run }
  }),
  cancel: projectProcedure.input(id).mutation(async ({ ctx, input }) => {
    const { run, isGone } = await cancelRun(ctx.project, input.id)
    // A container's cancel is done when the container is gone.
    if (!isGone) await untilGone(ctx.project, input.id)
    return run
  }),
  retry: projectProcedure.input(id).mutation(({ ctx, input }) => retryRun(ctx.project, input.id)),
})
