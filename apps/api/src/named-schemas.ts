import {
  attempt,
  backfill,
  backfillRequest,
  callbackBody,
  ERROR_CODES,
  httpRunRequest,
  httpStepRunRequest,
  image,
  imageRead,
  imageRunRequest,
  imageStepRunRequest,
  job,
  jobListItem,
  jobPatch,
  jobPut,
  ledgerEntry,
  page,
  pipelineRunRequest,
  pipelineStep,
  pipelineStepRead,
  preview,
  retryRequest,
  run,
  runListItem,
  runStep,
  schedulePreview,
  stepList,
  testCall,
} from '@workly/core'
import { z } from 'zod'

/** The contract's shapes under the names they have in the OpenAPI document; they validate as before. */
/** A step's fields stand in the document once. */
const Image = image.meta({ id: 'Image', description: 'A container image to run.' })
const container = { image: Image.nullish() }
export const PipelineStep = pipelineStep.extend(container).meta({
  id: 'PipelineStep',
  description: 'One step of a pipeline: what it sends or runs, and retry settings of its own.',
})
const ImageRead = imageRead.meta({ id: 'ImageRead', description: 'A container image, as reads show it.' })
const shownImage = { image: ImageRead.optional() }
const PipelineStepRead = pipelineStepRead.extend(shownImage).meta({
  id: 'PipelineStepRead',
  description: 'One step of a pipeline, as reads show it.',
})
const targets = { ...container, steps: stepList(PipelineStep).nullish() }
const targetsRead = { ...shownImage, steps: z.array(PipelineStepRead).optional() }

export const Job = job
  .extend(targetsRead)
  .meta({ id: 'Job', description: 'A job: when it runs, what it calls, and how.' })
export const JobListItem = jobListItem
  .extend(targetsRead)
  .meta({ id: 'JobListItem', description: 'A job as lists show it.' })
export const JobPut = jobPut.extend(targets).meta({
  id: 'JobPut',
  description: 'Exactly these settings; the rest at defaults.',
})
export const JobPatch = jobPatch
  .extend(targets)
  .meta({ id: 'JobPatch', description: 'Only what is given changes.' })
export const Attempt = attempt.meta({ id: 'Attempt', description: 'One call to the target within a run.' })
export const RunListItem = runListItem.meta({ id: 'RunListItem', description: 'A run as lists show it.' })
const HttpRequest = httpRunRequest.meta({
  id: 'HttpRequest',
  description: 'An HTTP request exactly as it was or will be sent, but for secrets.',
})
const ImageRequest = imageRunRequest.meta({
  id: 'ImageRequest',
  description: 'A container image exactly as it was or will be run, but for secrets.',
})
const HttpStepRequest = httpStepRunRequest.meta({
  id: 'HttpStepRequest',
  description: 'What a step of a pipeline sends.',
})
const ImageStepRequest = imageStepRunRequest.meta({
  id: 'ImageStepRequest',
  description: 'What a step of a pipeline runs.',
})
const PipelineRequest = pipelineRunRequest
  .extend({ steps: z.array(z.discriminatedUnion('kind', [HttpStepRequest, ImageStepRequest])) })
  .meta({ id: 'PipelineRequest', description: 'What a pipeline does, step by step.' })
const RunStep = runStep.meta({ id: 'RunStep', description: "How a step of a pipeline's run stands." })
export const Run = run
  .extend({
    request: z.discriminatedUnion('kind', [HttpRequest, ImageRequest, PipelineRequest]),
    steps: z.array(RunStep),
    attempts: z.array(Attempt),
  })
  .meta({ id: 'Run', description: 'A run, with its request, steps and attempts.' })
export const RetryRequest = retryRequest.meta({ id: 'RetryRequest', description: 'Where to start again.' })
export const SchedulePreview = schedulePreview.meta({
  id: 'SchedulePreview',
  description: 'A schedule to try.',
})
export const Preview = preview.meta({ id: 'Preview', description: 'What a schedule would do.' })
export const JobPage = page(JobListItem).meta({ id: 'JobPage', description: 'A page of jobs, newest first.' })
export const RunPage = page(RunListItem).meta({ id: 'RunPage', description: 'A page of runs, newest first.' })

export const TestCall = testCall.meta({ id: 'TestCall', description: 'A request to try.' })
export const BackfillRequest = backfillRequest.meta({
  id: 'BackfillRequest',
  description: 'Past times to run.',
})
export const Backfill = backfill.meta({ id: 'Backfill', description: 'What a backfill did, or would do.' })
export const LedgerEntry = ledgerEntry.meta({
  id: 'LedgerEntry',
  description: 'A scheduled time and what became of it.',
})
export const LedgerPage = page(LedgerEntry).meta({
  id: 'LedgerPage',
  description: 'A page of the ledger, oldest first.',
})

export const CallbackBody = callbackBody.meta({ id: 'CallbackBody', description: 'What came of the work.' })

/** RFC 9457. It stands in the document as a component put in by hand, so it carries no id. */
export const Problem = z
  .object({
    type: z.url().meta({ description: 'The page that explains the code.' }),
    title: z.string().meta({ description: 'The code in words.' }),
    status: z.int().meta({ description: 'The HTTP status.' }),
    code: z.enum(Object.keys(ERROR_CODES)).meta({ description: 'Decide by this; the list is closed.' }),
    detail: z.string().meta({ description: 'What is wrong here, for people.' }),
    errors: z
      .array(z.object({ field: z.string(), message: z.string() }))
      .meta({ description: 'Each offending field; empty where the error is about none.' }),
    request_id: z.string().meta({ description: 'Tell it to support; the log has it too.' }),
  })
  .meta({ description: 'An error, as RFC 9457 has it.' })
