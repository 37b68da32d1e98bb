import { createHash } from 'node:crypto'
import { RUN_STATES, type Run, wireText } from '@workly/core'
import { cancelRun, getRun, isGone, listRuns, type ProjectContext, retryRun } from '@workly/services'
import { z } from 'zod'
import { projectProcedure, router } from './init.ts'

const id = z.object({ id: wireText(100) })

const listInput = z.object({
  job: wireText(200).optional(),
  state: z.enum(RUN_STATES).optional(),
  kind: z.enum(['http', 'image', 'pipeline']).optional(),
  limit: z.int().min(1).max(200).optional(),
  cursor: wireText(500).nullish(),
})

/** Whether nothing is left of the containers of a run whose cancel did not find them gone. */
async function areContainersGone(ctx: ProjectContext, run: Run): Promise<boolean> {
  return run.cancel_requested_at === null || isGone(ctx.services.sql, ctx.organizationId, run.id)
}

export const runRouter = router({
  list: projectProcedure.input(listInput).query(({ ctx, input }) => {
    const { job, state, kind, limit, cursor } = input
    return listRuns(ctx.project, { job, state, kind, limit, cursor: cursor ?? undefined })
  }),
  /** With what the caller has seen already, an unchanged run is not sent again: its bodies may be long. */
  get: projectProcedure.input(id.extend({ seen: wireText(64).optional() })).query(async ({ ctx, input }) => {
    const run = await getRun(ctx.project, input.id)
    const tag = createHash('sha256').update(JSON.stringify(run)).digest('base64url')
    return { tag, run: tag === input.seen ? null : run, isGone: await areContainersGone(ctx.project, run) }
  }),
  cancel: projectProcedure.input(id).mutation(async ({ ctx, input }) => {
    const { run, isGone } = await cancelRun(ctx.project, input.id)
    return { run, isGone }
  }),
  /** Of a pipeline from its first step, or from the one that failed. */
  retry: projectProcedure
    .input(id.extend({ fromStep: z.literal('failed').optional() }))
    .mutation(({ ctx, input }) => retryRun(ctx.project, input.id, { from_step: input.fromStep })),
})
