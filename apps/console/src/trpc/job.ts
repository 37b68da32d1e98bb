import { type JobListItem, jobPut, schedulePreview } from '@workly/core'
import {
  deleteJob,
  getJob,
  getJobCounts,
  listJobs,
  listTags,
  pauseJob,
  previewSchedule,
  putJob,
  type RecentRun,
  recentRuns,
  resumeJob,
  triggerJob,
} from '@workly/services'
import { z } from 'zod'
import { scheduleWords } from '../features/job/schedule-words.ts'
import { projectProcedure, router } from './init.ts'

const name = z.object({ name: z.string().max(200) })

const listInput = z.object({
  search: z.string().max(200).optional(),
  state: z.enum(['active', 'paused', 'completed']).optional(),
  tag: z.string().max(64).optional(),
  limit: z.int().min(1).max(200).optional(),
  cursor: z.string().max(500).nullish(),
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
    const { search, state, tag, limit, cursor } = input
    const page = await listJobs(ctx.project, { search, state, tag, limit, cursor: cursor ?? undefined })
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
  get: projectProcedure.input(name).query(async ({ ctx, input }) => {
    const [{ job, etag }, counts] = await Promise.all([
      getJob(ctx.project, input.name),
      getJobCounts(ctx.project, input.name),
    ])
    return { job, etag, counts, words: scheduleWords(job) }
  }),
  preview: projectProcedure
    .input(z.object({ schedule: schedulePreview }))
    .query(({ ctx, input }) => previewSchedule(ctx.project, input.schedule)),
  create: projectProcedure
    .input(name.extend({ settings: jobPut }))
    .mutation(({ ctx, input }) => putJob(ctx.project, input.name, input.settings, { ifNoneMatch: '*' })),
  trigger: projectProcedure.input(name).mutation(({ ctx, input }) => triggerJob(ctx.project, input.name)),
  pause: projectProcedure.input(name).mutation(({ ctx, input }) => pauseJob(ctx.project, input.name)),
  resume: projectProcedure.input(name).mutation(({ ctx, input }) => resumeJob(ctx.project, input.name)),
  delete: projectProcedure.input(name).mutation(({ ctx, input }) => deleteJob(ctx.project, input.name)),
})
