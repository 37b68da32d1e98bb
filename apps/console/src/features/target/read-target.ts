import type { FieldIssue, Image, PipelineStep } from '@workly/core'
import { readNumber } from './read-number.ts'
import {
  type HttpDraft,
  hasNoBody,
  type ImageDraft,
  type SourceDraft,
  sentValue,
  type ValueDraft,
  type WordDraft,
} from './target-draft.ts'

/**
 * What an HTTP request sends, in a call of the console. The payload is the text as it was typed, since a browser that
 * reads JSON rounds numbers beyond what a double holds.
 */
export interface HttpSettings
  extends Pick<
    PipelineStep,
    'url' | 'method' | 'headers' | 'body' | 'content_type' | 'response' | 'timeout_seconds'
  > {
  payload_text?: string
}

/**
 * An HTTP request as the API takes it, null for what is left to the default. What the browser can tell without asking is
 * added to `issues`; the server judges everything.
 * @param place what stands before the fields, such as `steps[1].`
 */
export function readHttp(draft: HttpDraft, place: string, issues: FieldIssue[]): HttpSettings {
  if (draft.url.trim() === '') issues.push({ field: `${place}url`, message: 'Give the address to call.' })
  return {
    url: draft.url.trim(),
    method: draft.method,
    headers: readValues(draft.headers, `${place}headers`, issues),
    ...readContent(draft, place, issues),
    response: readResponse(draft, place, issues),
    timeout_seconds: readNumber(draft.timeoutSeconds, `${place}timeout_seconds`, issues),
  }
}

function readResponse(draft: HttpDraft, place: string, issues: FieldIssue[]): HttpSettings['response'] {
  if (draft.response === 'sync') return 'sync'
  return {
    callback: { max_wait_seconds: requiredWait(draft.maxWaitSeconds, `${place}response`, issues) },
  }
}

function requiredWait(text: string, field: string, issues: FieldIssue[]): number {
  const found: FieldIssue[] = []
  const seconds = readNumber(text, field, found)
  if (seconds !== null && found.length === 0) return seconds
  issues.push({ field, message: 'Give the seconds to wait for the callback: 1 to 604800, a week.' })
  return 1
}

function readContent(
  draft: HttpDraft,
  place: string,
  issues: FieldIssue[],
): Pick<HttpSettings, 'payload_text' | 'body' | 'content_type'> {
  if (hasNoBody(draft.method) || draft.content === 'none') return {}
  if (draft.content === 'text') return { body: draft.body, content_type: draft.contentType.trim() || null }
  if (draft.payload.trim() === '') return {}
  try {
    JSON.parse(draft.payload)
    return { payload_text: draft.payload }
  } catch (error) {
    const why = error instanceof Error ? ` ${error.message}.` : ''
    issues.push({ field: `${place}payload`, message: `This is not JSON.${why}` })
    return {}
  }
}

/** Headers, or variables; rows without a name and a value are none. */
function readValues(
  rows: readonly ValueDraft[],
  field: string,
  issues: FieldIssue[],
): Record<string, string | { secret: string }> {
  const values = new Map<string, string | { secret: string }>()
  for (const row of rows) {
    const name = row.name.trim()
    if (name === '' && row.value === '') continue
    if (name === '') issues.push({ field, message: 'Give each value a name.' })
    if (values.has(name)) issues.push({ field: `${field}.${name}`, message: `${name} stands twice.` })
    values.set(name, sentValue(row))
  }
  return Object.fromEntries(values)
}

/** A container image as the API takes it. @param place such as `image.` or `steps[1].image.` */
export function readImage(draft: ImageDraft, place: string, issues: FieldIssue[]): Image {
  const name = draft.name.trim()
  const tag = draft.tag.trim()
  if (name === '')
    issues.push({ field: `${place}name`, message: 'Give the image to run, such as team/report.' })
  if (tag === '') issues.push({ field: `${place}tag`, message: 'Give its tag, such as 1.4.0.' })
  const command = words(draft.command)
  const args = words(draft.args)
  return {
    name,
    tag,
    ...(command.length > 0 && { command }),
    ...(args.length > 0 && { args }),
    env: readValues(draft.env, `${place}env`, issues),
    env_from: draft.envFrom.map((source, i) => readSource(source, `${place}env_from[${i}]`, issues)),
    timeout_seconds: readNumber(draft.timeoutSeconds, `${place}timeout_seconds`, issues),
    max_wait_seconds:
      draft.end === 'exit' ? null : requiredWait(draft.maxWaitSeconds, `${place}max_wait_seconds`, issues),
  }
}

const words = (rows: readonly WordDraft[]) => rows.map(row => row.text)

function readSource(draft: SourceDraft, place: string, issues: FieldIssue[]) {
  const name = draft.name.trim()
  if (name === '') issues.push({ field: `${place}.${draft.from}`, message: 'Give its name.' })
  const prefix = draft.prefix.trim()
  return {
    ...(draft.from === 'secret' ? { secret: name } : { config_map: name }),
    ...(prefix !== '' && { prefix }),
  }
}
