import type { inferRouterOutputs } from '@trpc/server'
import { router } from './init.ts'
import { jobRouter } from './job.ts'
import { runRouter } from './run.ts'
import { sessionRouter } from './session.ts'

export const appRouter = router({ job: jobRouter, run: runRouter, session: sessionRouter })
export type AppRouter = typeof appRouter

type Outputs = inferRouterOutputs<AppRouter>
/** What the browser gets: as the verbs answer, after the way through JSON. */
export type ShownRun = NonNullable<Outputs['run']['get']['run']>
export type ShownAttempt = ShownRun['attempts'][number]
export type ShownJob = Outputs['job']['get']['job']
export type JobSettings = Outputs['job']['settings']
export type ShownJobRow = Outputs['job']['list']['data'][number]
