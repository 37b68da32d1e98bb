import type { inferRouterOutputs } from '@trpc/server'
import { apiKeyRouter, signingSecretRouter } from './access.ts'
import { router } from './init.ts'
import { jobRouter } from './job.ts'
import { auditRouter, invitationRouter, memberRouter, projectRouter } from './organization.ts'
import { runRouter } from './run.ts'
import { sessionRouter } from './session.ts'

export const appRouter = router({
  apiKey: apiKeyRouter,
  audit: auditRouter,
  invitation: invitationRouter,
  job: jobRouter,
  member: memberRouter,
  project: projectRouter,
  run: runRouter,
  session: sessionRouter,
  signingSecret: signingSecretRouter,
})
export type AppRouter = typeof appRouter

type Outputs = inferRouterOutputs<AppRouter>
/** What the browser gets: as the verbs answer, after the way through JSON. */
export type ShownRun = NonNullable<Outputs['run']['get']['run']>
export type ShownAttempt = ShownRun['attempts'][number]
export type ShownJob = Outputs['job']['get']['job']
export type JobSettings = Outputs['job']['settings']
export type ShownJobRow = Outputs['job']['list']['data'][number]
export type ShownTime = Outputs['job']['times']['data'][number]
export type ShownApiKey = Outputs['apiKey']['list'][number]
export type ShownSigningSecret = Outputs['signingSecret']['list'][number]
export type ShownMembers = Outputs['member']['list']
export type ShownAuditEntry = Outputs['audit']['list']['data'][number]
export type ShownProject = Outputs['project']['get']
