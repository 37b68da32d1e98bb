import { SCHEDULER_NOTES } from './routes/scheduler/scheduler-notes.ts'

/** What each field of the contract means, for the OpenAPI document and the reference: one text for reads and writes. */

const SCHEDULE = {
  cron: 'When, as a cron expression of five fields in `timezone`. Give one of `cron`, `interval_minutes` and `at`.',
  interval_minutes: 'Every so many minutes of elapsed time, counted from `from`, else from the creation.',
  at: 'Once, at this instant.',
  timezone: 'An IANA name such as `Europe/Stockholm`. Default `UTC`.',
  dialect:
    '`standard` (default): five fields and macros. `extended`: also seconds in front, a year at the end, and `?`.',
  from: 'No scheduled time before this instant.',
  to: 'No scheduled time after this instant.',
}

/** What is sent, by a job or by a step of its own. */
const REQUEST = {
  url: 'The address to call: https on the public internet.',
  method: 'Default `POST`.',
  headers:
    'Sent with each call. A value may be `{"secret": "…"}`: it is stored encrypted, never shown again, and masked in what is kept of answers (so a value of a character or two hides most of them).',
  payload: 'Any JSON, sent as `application/json` digit for digit. Not together with `body`.',
  body: 'A text to send as it is, with `content_type`. Not together with `payload`. In a PATCH `null` takes the body away, a `payload` too.',
  content_type: 'The media type of `body`.',
  response:
    '`sync` (default): done when the response arrives. `{"callback": {"max_wait_seconds": 600}}`: a 2xx means accepted, done when the address in its `callback` header is posted to.',
  timeout_seconds: 'How long to wait for a response. Default 30.',
}

/** What is run, by a job or by a step of its own. */
const IMAGE = {
  name: "A path in the operator's registry, such as `team/report`; a name that names a host is refused.",
  tag: 'Which version, such as `1.4.0`.',
  command: "In place of the image's entry point, taken literally.",
  args: "In place of the image's own arguments, taken literally.",
  env: 'Values of environment variables by their names. A value may be `{"secret": "…"}`: it is stored encrypted and never shown again.',
  env_from:
    'Secrets and config maps of the organization, each of whose keys becomes a variable, with `prefix` before it. `env` wins over them, and a later one over an earlier.',
  timeout_seconds: 'The deadline after which the container is killed. Default 3600.',
  max_wait_seconds:
    'How long its report at `callbackUri` is waited for, from its start on. Null (default): it is done when it exits, and exit code 0 succeeds.',
}

const JOB = {
  ...SCHEDULE,
  execute_now: 'Run once at once; only in the request that creates the job.',
  ...REQUEST,
  image: 'A container image to run, in place of `url` and what goes with it.',
  steps:
    'A pipeline: 2 to 50 requests and images in order, each with an `id`, in place of `url` and what goes with it. A step that fails for good stops the run.',
  max_attempts: 'Attempts per run, or per step, before it fails. Default 3.',
  min_backoff_seconds: 'The wait before the second attempt. Default 5.',
  max_backoff_seconds: 'The longest wait between attempts. Default 300.',
  backoff_multiplier: 'What the wait grows by from attempt to attempt. Default 2.',
  retry_on_4xx: 'Retry 4xx responses other than 408 and 429 too. Default false.',
  overlap:
    'When a run is due while another is going: `skip` it (default), `queue` it so that one runs at a time, or `allow` both.',
  missed:
    'Times missed while no server was running: `skip` records the latest (default), `catch_up` runs it once (default for `at`).',
  description: 'For people.',
  tags: 'To filter by.',
  id: 'Immutable, and in order of time.',
  name: 'Unique in the project; it cannot be changed.',
  kind: '`http`, `image` or `pipeline`.',
  state: '`active`, `paused`, or `completed` when no scheduled time is left.',
  next_run_at: 'When it runs next; null while it does not.',
  next_runs: 'The next five times; of a paused job, as if it were resumed now.',
  last_run: 'How its latest run stands; null before the first.',
  created_at: 'When it was created.',
  updated_at: 'When its settings or its pause last changed.',
  warnings: 'What people usually did not mean by such settings, by code and field.',
}

const STEP = {
  id: 'Unique in the pipeline. The target gets it as `Workly-Step`.',
  ...REQUEST,
  image: JOB.image,
  max_attempts: "The step's own; by default the job's.",
  min_backoff_seconds: "The step's own; by default the job's.",
  max_backoff_seconds: "The step's own; by default the job's.",
  backoff_multiplier: "The step's own; by default the job's.",
  retry_on_4xx: "The step's own; by default the job's.",
}

const SENT = {
  kind: 'What it is.',
  url: 'The address that is called.',
  method: 'The method of the call.',
  headers: "The job's own headers; Workly adds its.",
  body: 'The body as it is sent; null where there is none.',
  content_type: 'The media type of the body.',
  response: REQUEST.response,
  timeout_seconds: 'How long a response is waited for.',
}

const RUN = {
  id: 'Immutable, and in order of time. The target gets it as `Workly-Run-Id`.',
  job: "The job's name.",
  job_id: "The job's id.",
  state: '`pending`, `running`, `succeeded`, `failed`, `cancelled` or `skipped`.',
  skip_reason: 'Why it was skipped: `overlap` or `missed`.',
  trigger: 'What made it: its `schedule`, Run now (`manual`), `execute_now` or a `backfill`.',
  scheduled_for: 'The time it is for, however late it is delivered.',
  created_at: 'When it was created.',
  started_at: 'When its first attempt began.',
  finished_at: 'When it ended.',
  next_attempt_at: 'While it runs: when the next attempt is due, or a wait ends.',
  attempts_made: 'How many attempts there were, of all steps.',
  error: 'Why it failed: the class, and a message that names the step of a pipeline.',
  finished_out_of_time: 'A result came after the run had given up waiting for it.',
  cancel_requested_at: 'When its cancelling was asked for, while that is not done yet.',
  request: 'The request, or the steps of a pipeline, as they were or will be sent, but for secrets.',
  steps: "How a pipeline's steps stand, in order; empty otherwise.",
  attempts: 'Every call that was made, in order.',
  late_result: 'The result that came late.',
}

const ATTEMPT = {
  id: 'Immutable, and in order of time.',
  number: 'Counted per run and step; a retry goes on counting.',
  step: "The pipeline's step; null otherwise.",
  state:
    '`running`, `waiting` (for a callback, or a container to end), `succeeded`, `failed`, `cancelled`, or `lost` with its worker.',
  started_at: 'When it began.',
  finished_at: 'When it ended.',
  timings: 'How long each part of the call took, in milliseconds; null for what did not happen.',
  response: 'What the target answered: the first 64 KiB of the body, as text or in base64.',
  container:
    'Of a container: the code it exited with, and the last 64 KiB of its log. Null of a call, and while nothing of it is known.',
  error: 'Why it failed: the class, and a message.',
  callback: 'Of a callback request: until when the report is waited for, and what it was.',
  next_attempt_at: 'When the next attempt is due.',
  next_attempt_reason: 'Why then.',
  late_result: 'A result that came after the attempt was given up.',
}

const PAGE = {
  data: 'The entries, newest first.',
  next_cursor: 'Send it as `cursor` for the next page; null on the last.',
}

/** By the name of the component in the document, then by field. */
export const FIELD_NOTES: Record<string, Record<string, string>> = {
  ...SCHEDULER_NOTES,
  Job: JOB,
  JobListItem: JOB,
  JobPut: JOB,
  JobPatch: JOB,
  Run: RUN,
  RunListItem: RUN,
  Attempt: ATTEMPT,
  PipelineStep: STEP,
  PipelineStepRead: STEP,
  HttpRequest: SENT,
  Image: IMAGE,
  ImageRead: IMAGE,
  ImageRequest: { kind: SENT.kind, ...IMAGE },
  HttpStepRequest: { id: "The step's id.", ...SENT },
  ImageStepRequest: { id: "The step's id.", kind: SENT.kind, ...IMAGE },
  PipelineRequest: { kind: SENT.kind, steps: 'What each step does, in order.' },
  RunStep: {
    id: "The step's id.",
    state:
      '`pending`, `running`, `succeeded`, `failed`, `cancelled`, or `not_run` since the run ended before it.',
    started_at: 'When its first attempt began.',
    finished_at: 'When it ended.',
    attempts_made: 'How many attempts of it there were.',
    error: 'Why it failed: the class, and a message.',
    result: 'What its callback reported; null where there was none.',
    description: 'More about that, for people.',
  },
  RetryRequest: {
    from_step:
      '`failed`: start at the step that failed or was cancelled; earlier ones keep their results. Left out: at the first.',
  },
  JobPage: PAGE,
  RunPage: PAGE,
  LedgerPage: PAGE,
  LedgerEntry: {
    scheduled_for: 'The scheduled time; of a run by hand, its instant.',
    outcome:
      '`ran`, `skipped`, `missed`, `paused`, `not_created`, `other_schedule`, `unknown` (removed by retention, or missed), `due` or `upcoming`.',
    reason: 'Why, for people.',
    run: 'The run at this time; null where there is none.',
    current_schedule: 'Whether the present schedule has this time.',
  },
  TestCall: {
    ...REQUEST,
    timeout_seconds: 'How long to wait for a response, at most 30.',
    image: 'Refused: an image runs as a run of a job.',
    job: 'A job whose stored secrets the masks stand for.',
    step: 'The step of `job` whose stored secrets they are, where that is a pipeline.',
  },
  CallbackBody: {
    result: 'Free text; `ERROR`, `TIMEOUT` and `CANCELLED` fail the attempt.',
    description: 'More about it, for people.',
  },
  BackfillRequest: {
    from: 'From this instant on.',
    to: 'Up to this instant, which may not lie ahead.',
    only_missing: 'Default true. False: also what succeeded, and what retention may have removed.',
    dry_run: 'Count, and change nothing. Default false.',
  },
  Backfill: {
    dry_run: 'Whether nothing was changed.',
    times: 'Scheduled times in the range.',
    created: 'Times without a run, which get one.',
    retried: 'Times whose run is put back to pending.',
    unchanged: 'Times left alone: their run succeeded or is still going.',
    unknown: 'Times left alone since retention may have removed their run.',
    runs: 'The runs made and put back, in the order of their times.',
  },
  SchedulePreview: {
    ...SCHEDULE,
    after: 'From when; default now.',
    count: 'How many times to answer, 1 to 100. Default 5.',
  },
  Preview: {
    next_runs: 'The next times, computed by the code that fires.',
    description: 'The schedule in words.',
    warnings: JOB.warnings,
  },
}
