/** What each field of the organization scheduler means, as in field-notes.ts. */

const SCHEDULE = {
  cron: '`expression`: five fields, with one for seconds in front and one for years at the end where they are wanted; `?` in the day fields. `timeZone`: an IANA name, default `UTC`.',
  interval: '`minutes`: run every so many minutes instead, counted from `from`, else from the creation.',
  from: 'Cron: no execution before this instant. Interval: the first execution.',
  to: 'No execution after this instant.',
}

const REQUEST = {
  method: 'Default `POST`.',
  url: 'The address to call: https on the public internet.',
  headers:
    'Sent with each call. A value may be `{"secret": "…"}`: it is stored encrypted and never shown again.',
  body: 'A string is sent as it is, anything else as JSON, digit for digit.',
}

const RESPONSE = {
  sync: 'Done when the response arrives, which is waited for `timeout` seconds (1 to 1800, default 30).',
  async:
    'The call carries a `callback` header with the address to POST to when the work is done, which is waited for `maxTimeToWaitCallback` seconds (1 to 604800). The response to the call itself must come within 30 s.',
}

const IMAGE = {
  name: "The image, in the platform's registry.",
  tag: 'Its tag.',
  env: 'Variables of the container. A value may be `{"secret": "…"}`: it is stored encrypted and never shown again.',
  envFrom:
    'Kubernetes secrets (`secret`) and config maps (`configMap`) whose keys become variables, with a `prefix` where there is one.',
  timeout: 'Seconds after which the container is killed, 1 to 604800. Default 3600.',
  maxTimeToWaitCallback: 'Seconds to wait for the container to report, 1 to 604800.',
}

const SCHEDULATION = {
  id: 'Unique in the project, over all kinds; in `/v1` the name of the job.',
  schedule: 'When it runs.',
  restRequest: 'The call to make.',
  response: 'How it is known that the call is done. Default `{"sync": {"timeout": 30}}`.',
  imageExecution: 'The container to run.',
  pipeline: '`steps`: 2 to 50 steps in order. One that fails stops the execution.',
}

const STEP = { ...SCHEDULATION, id: 'Unique in the pipeline. The target gets it as `Workly-Step`.' }
const STEPS = 'The steps, where they do not stand in `pipeline`.'

export const SCHEDULER_NOTES: Record<string, Record<string, string>> = {
  RestRequestSchedulation: notes(SCHEDULATION, 'id', 'schedule', 'restRequest', 'response'),
  RestRequestSchedulationRead: notes(SCHEDULATION, 'id', 'schedule', 'restRequest', 'response'),
  ImageExecutionSchedulation: notes(SCHEDULATION, 'id', 'schedule', 'imageExecution'),
  ImageExecutionSchedulationRead: notes(SCHEDULATION, 'id', 'schedule', 'imageExecution'),
  PipelineSchedulation: { ...notes(SCHEDULATION, 'id', 'schedule', 'pipeline'), steps: STEPS },
  PipelineSchedulationRead: notes(SCHEDULATION, 'id', 'schedule', 'pipeline'),
  SchedulerStep: notes(STEP, 'id', 'restRequest', 'response', 'imageExecution'),
  SchedulerStepRead: notes(STEP, 'id', 'restRequest', 'response', 'imageExecution'),
  SchedulerImageExecution: IMAGE,
  SchedulerImageExecutionRead: {
    ...IMAGE,
    command: "In place of the image's entry point: of a job that was made in `/v1` or the console.",
    args: "In place of the image's own arguments: of a job that was made in `/v1` or the console.",
    maxTimeToWaitCallback: `${IMAGE.maxTimeToWaitCallback} Null where its exit is its completion: of a job that was made in \`/v1\` or the console.`,
  },
  SchedulerSchedule: { ...SCHEDULE, executeNow: 'Also run at once, when it is created. Default false.' },
  SchedulerScheduleRead: {
    ...SCHEDULE,
    at: 'Once, at this instant: of a job that was made in `/v1` or the console.',
    executeNow: 'Always false: it only counts in the call that creates it.',
  },
  SchedulerRestRequest: REQUEST,
  SchedulerRestRequestRead: REQUEST,
  SchedulerResponse: RESPONSE,
  Execution: {
    executionId: "The run's id.",
    schedulerType: '`REST_REQUEST`, `IMAGE_EXECUTION` or `PIPELINE`.',
    schedulerId: "The schedulation's id.",
    start: 'When it began; of one that has not begun or was skipped, when it was due.',
    end: 'When it ended; null while it has not.',
    state:
      '`IN_PROGRESS` while it is pending, running or between attempts, `FINISHED`, or `FINISHED OUT OF TIME` when the callback came after the wait for it had run out.',
    steps: 'What came of each step; of what is no pipeline there is one, whose id is the `schedulerId`.',
  },
  ExecutionStep: {
    id: "The step's id.",
    state: 'As of an execution.',
    result:
      "`OK`, `ERROR`, `TIMEOUT`, `CANCELLED`, `SKIPPED`, `NOT_RUN`, or the callback's own text; null while it is in progress.",
    description: 'More about that: what the callback said, or why it failed.',
  },
}

function notes<T extends Record<string, string>>(of: T, ...fields: (keyof T & string)[]) {
  return Object.fromEntries(fields.map(field => [field, of[field] ?? '']))
}
