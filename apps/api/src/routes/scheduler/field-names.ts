import type { FieldIssue } from '@workly/core'

/** Names of a job's fields in the organization scheduler's body (spec section 9). */
const OF_JOB: Record<string, string> = {
  name: 'id',
  cron: 'schedule.cron.expression',
  timezone: 'schedule.cron.timeZone',
  interval_minutes: 'schedule.interval.minutes',
  execute_now: 'schedule.executeNow',
  from: 'schedule.from',
  to: 'schedule.to',
}

/** Of a request, a job's or a step's. */
const OF_TARGET: Record<string, string> = {
  url: 'restRequest.url',
  method: 'restRequest.method',
  headers: 'restRequest.headers',
  payload: 'restRequest.body',
  body: 'restRequest.body',
  response: 'response.async',
  timeout_seconds: 'response.sync.timeout',
  image: 'imageExecution',
}

/** Of an image; they stand in messages too. */
const OF_IMAGE: Record<string, string> = {
  env_from: 'envFrom',
  config_map: 'configMap',
  timeout_seconds: 'timeout',
  max_wait_seconds: 'maxTimeToWaitCallback',
}

const IN_MESSAGES: Record<string, string> = {
  ...OF_IMAGE,
  interval_minutes: 'interval.minutes',
  timezone: 'timeZone',
}
const WORDS = new RegExp(`\\b(?:${Object.keys(IN_MESSAGES).join('|')})\\b`, 'g')

/** Where the body of a pipeline has its steps. */
export type StepsPlace = 'pipeline.steps' | 'steps'

/** What is wrong with a job's settings, as what is wrong with the body they were made from. */
export function inSchedulerWords({ field, message }: FieldIssue, steps: StepsPlace): FieldIssue {
  return {
    field: schedulerField(field, steps),
    message: message.replaceAll(WORDS, word => IN_MESSAGES[word] ?? word),
  }
}

function schedulerField(field: string, steps: StepsPlace): string {
  const [, index, ofStep] = /^steps(\[\d+\])?(?:\.(.*))?$/s.exec(field) ?? []
  if (index !== undefined) return `${steps}${index}${ofStep === undefined ? '' : `.${targetField(ofStep)}`}`
  if (field === 'steps') return steps
  const [head, rest] = cut(field)
  return head in OF_JOB ? `${OF_JOB[head]}${rest}` : targetField(field)
}

function targetField(field: string): string {
  const [head, rest] = cut(field)
  if (!(head in OF_TARGET)) return field
  return `${OF_TARGET[head]}${head === 'image' ? imageFields(rest) : rest}`
}

/** `.env_from[0].config_map` as `.envFrom[0].configMap`; names of variables stay as they are. */
function imageFields(path: string): string {
  if (/^\.env\b/.test(path) && !path.startsWith('.env_from')) return path
  return path.replaceAll(/[a-z_]+/g, word => OF_IMAGE[word] ?? word)
}

/** `['headers', '.X-A']` for `headers.X-A`. */
function cut(field: string): [string, string] {
  const head = /^[^.[]*/.exec(field)?.[0] ?? ''
  return [head, field.slice(head.length)]
}
