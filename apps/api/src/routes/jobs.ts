import { jobName } from '@workly/core'
import { deleteJob, getJob, listJobs, moreJobIssues, patchJob, putJob } from '@workly/services'
import { z } from 'zod'
import {
  EXAMPLE_IMAGE_PUT,
  EXAMPLE_JOB,
  EXAMPLE_JOB_ITEM,
  EXAMPLE_MIXED_PUT,
  EXAMPLE_PATCH,
  EXAMPLE_PIPELINE_PUT,
  EXAMPLE_PUT,
} from '../examples.ts'
import { jobListQuery } from '../list-query.ts'
import { Job, JobPage, JobPatch, JobPut } from '../named-schemas.ts'
import { type Operation, operation } from '../operation.ts'
import { CHANGED, conditionOf, ETAG, IF_MATCH, IF_NONE_MATCH, LOCATION } from './job-headers.ts'
import type { Mount } from './mount.ts'

const newName = z.object({ name: jobName })

/** PUT, PATCH, GET, DELETE of one job, and the list (spec section 8). */
export function jobOperations({ base, tag, noun, word }: Mount): Operation[] {
  const one = `${base}/{name}`
  return [
    operation({
      method: 'get',
      path: base,
      id: `list${noun}s`,
      tag,
      summary: `List ${word}s`,
      description:
        'The newest first. Each carries `next_run_at`; the next five times are in the single answer.',
      scope: 'read',
      query: jobListQuery,
      answers: {
        200: {
          description: `A page of ${word}s.`,
          schema: JobPage,
          example: { data: [EXAMPLE_JOB_ITEM], next_cursor: null },
        },
      },
      handle: async ({ ctx, query }) => ({ status: 200, body: await listJobs(ctx, query) }),
    }),
    operation({
      method: 'put',
      path: one,
      id: `put${noun}`,
      tag,
      summary: `Create or replace a ${word}`,
      description:
        `Declarative: the ${word} ends up with exactly the settings given, and omitted ones go back to their defaults. ` +
        'Read-only fields are ignored, so what was read can be sent back. Whether it is paused is no setting and stays.',
      scope: 'write',
      params: newName,
      body: {
        schema: JobPut,
        required: true,
        example: EXAMPLE_PUT,
        more: [
          { summary: 'A container image', value: EXAMPLE_IMAGE_PUT },
          { summary: 'A pipeline', value: EXAMPLE_PIPELINE_PUT },
          { summary: 'A pipeline of a call and an image', value: EXAMPLE_MIXED_PUT },
        ],
        also: (ctx, sent, found) => moreJobIssues(ctx, sent, found, true),
      },
      requestHeaders: [IF_MATCH, IF_NONE_MATCH],
      answers: {
        200: {
          description: `It existed; \`Workly-Changed\` says whether anything changed.`,
          schema: Job,
          example: EXAMPLE_JOB,
          headers: [ETAG, CHANGED],
        },
        201: {
          description: 'It was created.',
          schema: Job,
          example: EXAMPLE_JOB,
          headers: [ETAG, CHANGED, LOCATION],
        },
      },
      problems: [409, 412],
      async handle({ ctx, path, param, header, body }) {
        const put = await putJob(ctx, param('name'), body, conditionOf(header))
        const headers = { ETag: put.etag, 'Workly-Changed': String(put.changed) }
        if (!put.created) return { status: 200, body: put.job, headers }
        return { status: 201, body: put.job, headers: { ...headers, Location: path } }
      },
    }),
    operation({
      method: 'get',
      path: one,
      id: `get${noun}`,
      tag,
      summary: `Get a ${word}`,
      description:
        'The ETag covers its settings and pause, not `next_runs` or `last_run`, so it is always sent whole.',
      scope: 'read',
      answers: { 200: { description: `The ${word}.`, schema: Job, example: EXAMPLE_JOB, headers: [ETAG] } },
      problems: [404],
      async handle({ ctx, param }) {
        const got = await getJob(ctx, param('name'))
        return { status: 200, body: got.job, headers: { ETag: got.etag } }
      },
    }),
    operation({
      method: 'patch',
      path: one,
      id: `patch${noun}`,
      tag,
      summary: `Change settings of a ${word}`,
      description:
        'Changes only what is given; null puts a setting back to its default (for `payload` it is JSON null). `headers`, `image` and `steps` are replaced as a whole; `url`, `image` or `steps` take the place of what the job did before.',
      scope: 'write',
      body: {
        schema: JobPatch,
        required: true,
        example: EXAMPLE_PATCH,
        also: (ctx, sent, found) => moreJobIssues(ctx, sent, found, false),
      },
      requestHeaders: [IF_MATCH],
      answers: {
        200: { description: `The ${word}.`, schema: Job, example: EXAMPLE_JOB, headers: [ETAG, CHANGED] },
      },
      problems: [404, 412],
      async handle({ ctx, param, header, body }) {
        const patched = await patchJob(ctx, param('name'), body, conditionOf(header))
        const headers = { ETag: patched.etag, 'Workly-Changed': String(patched.changed) }
        return { status: 200, body: patched.job, headers }
      },
    }),
    operation({
      method: 'delete',
      path: one,
      id: `delete${noun}`,
      tag,
      summary: `Delete a ${word}`,
      description: 'At once, with its runs: nothing more is delivered, and the name is free again.',
      scope: 'write',
      requestHeaders: [IF_MATCH],
      answers: { 204: { description: 'It is gone.' } },
      problems: [404, 412],
      async handle({ ctx, param, header }) {
        await deleteJob(ctx, param('name'), conditionOf(header))
        return { status: 204 }
      },
    }),
  ]
}
