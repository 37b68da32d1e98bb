import { invalid, type JobListItem, jobPatch, jobPut, schedulePreview, wireText } from '@workly/core'
import {
  deleteJob,
  getJob,
  getJobCounts,
  listJobs,
  listTags,
  patchJob,
  pauseJob,
  previewSchedule,
  putJob,
  type RecentRun,
  readPayload,
  recentRuns,
  resumeJob,
  triggerJob,
} from '@workly/services'
import { z } from 'zod'
import { scheduleWords } from '../features/job/schedule-words.ts'
import { projectProcedure, router } from './init.ts'

const name = z.object({ name: wireText(200) })

const listInput = z.object({
  search: wireText(200).optional(),
  state: z.enum(['active', 'paused', 'completed']).optional(),
  tag: wireText(64).optional(),
  limit: z.int().min(1).max(200).optional(),
  cursor: wireText(500).nullish(),
})

/** A payload as JSON text: read as a value by the browser or by tRPC, its long numbers would be rounded. */
const payloadText = wireText(2 * 1024 * 1024)

function payloadOf(text: string | undefined): { payload?: unknown } {
  if (text === undefined) return {}
  try {
    return { payload: readPayload(text) }
  } catch {
    throw invalid([{ field: 'payload', message: 'is not JSON' }])
  }
}

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
  /** What the job's page shows. It is asked for every second, so a body, which may be long, stays behind. */
  get: projectProcedure.input(name).query(async ({ ctx, input }) => {
    const [shown, counts] = await Promise.all([
      getJob(ctx.project, input.name),
      getJobCounts(ctx.project, input.name),
    ])
    const { payload, body, ...job } = shown.job
    return { job, counts, words: scheduleWords(job) }
  }),
  /** Every setting, to be changed; the payload as text, digit for digit. */
  settings: projectProcedure.input(name).query(async ({ ctx, input }) => {
    const { job: shown, etag } = await getJob(ctx.project, input.name)
    const { payload, ...job } = shown
    return { job, etag, payloadText: payload === undefined ? null : JSON.stringify(payload) }
  }),
  preview: projectProcedure
    .input(z.object({ schedule: schedulePreview }))
    .query(({ ctx, input }) => previewSchedule(ctx.project, input.schedule)),
  create: projectProcedure
    .input(name.extend({ settings: jobPut, payloadText: payloadText.optional() }))
    .mutation(async ({ ctx, input }) => {
      const settings = { ...input.settings, ...payloadOf(input.payloadText) }
      const { job } = await putJob(ctx.project, input.name, settings, { ifNoneMatch: '*' })
      return { name: job.name }
    }),
  /** Changes what is given (`patch`), or sets everything anew (`put`); only while the job is as it was read. */
  update: projectProcedure
    .input(
      name.extend({
        ifMatch: wireText(200),
        patch: jobPatch.optional(),
        put: jobPut.optional(),
        payloadText: payloadText.optional(),
      }),
    )
    .mutation(async ({ ctx, input }) => {
      const condition = { ifMatch: input.ifMatch }
      const payload = payloadOf(input.payloadText)
      const { job } = input.put
        ? await putJob(ctx.project, input.name, { ...input.put, ...payload }, condition)
        : await patchJob(ctx.project, input.name, { ...input.patch, ...payload }, condition)
      return { name: job.name }
    }),
  trigger: projectProcedure.input(name).mutation(({ ctx, input }) => triggerJob(ctx.project, input.name)),
  pause: projectProcedure.input(name).mutation(({ ctx, input }) => pauseJob(ctx.project, input.name)),
  resume: projectProcedure.input(name).mutation(({ ctx, input }) => resumeJob(ctx.project, input.name)),
  delete: projectProcedure.input(name).mutation(({ ctx, input }) => deleteJob(ctx.project, input.name)),
})
