import { type JobListItem, schedulePreview, wireText } from '@workly/core'
import {
  backfillJob,
  deleteJob,
  getJob,
  getJobCounts,
  listJobs,
  listTags,
  listTimes,
  patchJob,
  pauseJob,
  previewSchedule,
  putJob,
  type RecentRun,
  recentRuns,
  resumeJob,
  testRequest,
  triggerJob,
} from '@workly/services'
import { z } from 'zod'
import { scheduleWords } from '../features/job/schedule-words.ts'
import { formPatch, formPut, formTest, settingsOf, withPayload, withText } from './form-settings.ts'
import { projectProcedure, router } from './init.ts'

const name = z.object({ name: wireText(200) })

const listInput = z.object({
  search: wireText(200).optional(),
  state: z.enum(['active', 'paused', 'completed']).optional(),
  kind: z.enum(['http', 'image', 'pipeline']).optional(),
  tag: wireText(64).optional(),
  limit: z.int().min(1).max(200).optional(),
  cursor: wireText(500).nullish(),
})

/** How many of a job's latest runs its strip shows. */
const STRIP = 20

/** What a row of the list needs, and no more: it is asked for every second. */
function jobRow(job: JobListItem, recent: RecentRun[]) {
  const { id, name, kind, state, description, tags, cron, timezone, next_run_at, last_run } = job
  const words = scheduleWords(job)
  return { id, name, kind, state, description, tags, cron, timezone, next_run_at, last_run, recent, words }
}

export type JobRow = ReturnType<typeof jobRow>

export const jobRouter = router({
  list: projectProcedure.input(listInput).query(async ({ ctx, input }) => {
    const { organization: _, project: __, cursor, ...filter } = input
    const page = await listJobs(ctx.project, { ...filter, cursor: cursor ?? undefined })
    const recent = await recentRuns(
      ctx.project,
      page.data.map(job => job.id),
      STRIP,
    )
    return {
      data: page.data.map(job => jobRow(job, recent.get(job.id) ?? [])),
      next_cursor: page.next_cursor,
    }
  }),
  tags: projectProcedure.query(({ ctx }) => listTags(ctx.project)),
  /** What the job's page shows. It is asked for every second, so a body, which may be long, stays behind. */
  get: projectProcedure.input(name).query(async ({ ctx, input }) => {
    const [shown, counts] = await Promise.all([
      getJob(ctx.project, input.name),
      getJobCounts(ctx.project, input.name),
    ])
    const { payload, body, steps, ...job } = shown.job
    const bare = steps?.map(({ payload: _, body: __, ...step }) => step)
    return { job: { ...job, ...(bare && { steps: bare }) }, counts, words: scheduleWords(job) }
  }),
  /** Every setting, to be changed; payloads as text, digit for digit. */
  settings: projectProcedure.input(name).query(async ({ ctx, input }) => {
    const { job: shown, etag } = await getJob(ctx.project, input.name)
    const { steps, ...job } = shown
    return { job: { ...withText(job), ...(steps && { steps: steps.map(withText) }) }, etag }
  }),
  preview: projectProcedure
    .input(z.object({ schedule: schedulePreview }))
    .query(({ ctx, input }) => previewSchedule(ctx.project, input.schedule)),
  create: projectProcedure.input(name.extend({ settings: formPut })).mutation(async ({ ctx, input }) => {
    const { job } = await putJob(ctx.project, input.name, settingsOf(input.settings), { ifNoneMatch: '*' })
    return { name: job.name }
  }),
  /** Changes what is given (`patch`), or sets everything anew (`put`); only while the job is as it was read. */
  update: projectProcedure
    .input(
      name.extend({
        ifMatch: wireText(200),
        patch: formPatch.optional(),
        put: formPut.optional(),
      }),
    )
    .mutation(async ({ ctx, input }) => {
      const condition = { ifMatch: input.ifMatch }
      const { job } = input.put
        ? await putJob(ctx.project, input.name, settingsOf(input.put), condition)
        : await patchJob(ctx.project, input.name, settingsOf(input.patch ?? {}), condition)
      return { name: job.name }
    }),
  /** One real call with what stands in the form; nothing is saved. */
  test: projectProcedure
    .input(z.object({ call: formTest }))
    .mutation(({ ctx, input }) => testRequest(ctx.project, withPayload(input.call), ctx.makeCall)),
  /** The ledger: what became of each scheduled time, oldest first. */
  times: projectProcedure
    .input(
      name.extend({
        from: wireText(64).optional(),
        to: wireText(64).optional(),
        limit: z.int().min(1).max(200).optional(),
        cursor: wireText(500).nullish(),
      }),
    )
    .query(({ ctx, input }) => {
      const { from, to, limit, cursor } = input
      return listTimes(ctx.project, input.name, { from, to, limit, cursor: cursor ?? undefined })
    }),
  backfill: projectProcedure
    .input(
      name.extend({ from: wireText(64), to: wireText(64), onlyMissing: z.boolean(), dryRun: z.boolean() }),
    )
    .mutation(({ ctx, input }) => {
      const { from, to, onlyMissing, dryRun } = input
      return backfillJob(ctx.project, input.name, { from, to, only_missing: onlyMissing, dry_run: dryRun })
    }),
  trigger: projectProcedure.input(name).mutation(({ ctx, input }) => triggerJob(ctx.project, input.name)),
  pause: projectProcedure.input(name).mutation(({ ctx, input }) => pauseJob(ctx.project, input.name)),
  resume: projectProcedure.input(name).mutation(({ ctx, input }) => resumeJob(ctx.project, input.name)),
  delete: projectProcedure.input(name).mutation(({ ctx, input }) => deleteJob(ctx.project, input.name)),
})
