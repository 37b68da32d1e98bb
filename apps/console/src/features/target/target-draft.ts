import { type ImageRead, type METHODS, type PipelineStepRead, SECRET_MASK } from '@workly/core'
import { prettyJson } from '#features/run/pretty-json.ts'

/** Targets as a form holds them, as they were typed (spec section 3). Empty numbers are left to the defaults. */

/** A row of a list in the form; `key` tells the rows apart while they are edited and is never sent. */
interface Row {
  key: string
}

/** A header or a variable. A secret that is stored is not known here: it stands as kept until a new value is typed. */
export interface ValueDraft extends Row {
  name: string
  value: string
  isSecret: boolean
  isStored: boolean
}

/** One string of a command. */
export interface WordDraft extends Row {
  text: string
}

/** Where a container takes variables from. */
export interface SourceDraft extends Row {
  from: 'secret' | 'config_map'
  name: string
  prefix: string
}

export interface HttpDraft {
  url: string
  method: (typeof METHODS)[number]
  headers: ValueDraft[]
  content: 'none' | 'json' | 'text'
  payload: string
  body: string
  contentType: string
  response: 'sync' | 'callback'
  maxWaitSeconds: string
  timeoutSeconds: string
}

export interface ImageDraft {
  name: string
  tag: string
  command: WordDraft[]
  args: WordDraft[]
  env: ValueDraft[]
  envFrom: SourceDraft[]
  timeoutSeconds: string
  /** What ends it: the container's exit, or its callback. */
  end: 'exit' | 'callback'
  maxWaitSeconds: string
}

/** Both, so that a change of kind and back loses nothing. */
export interface TargetDraft {
  kind: 'http' | 'image'
  http: HttpDraft
  image: ImageDraft
}

/** How long a callback is waited for where a form begins, in seconds. */
const FIRST_WAIT = '600'

export function emptyHttp(): HttpDraft {
  return {
    url: '',
    method: 'POST',
    headers: [],
    content: 'json',
    payload: '',
    body: '',
    contentType: '',
    response: 'sync',
    maxWaitSeconds: FIRST_WAIT,
    timeoutSeconds: '',
  }
}

export function emptyImage(): ImageDraft {
  return {
    name: '',
    tag: '',
    command: [],
    args: [],
    env: [],
    envFrom: [],
    timeoutSeconds: '',
    end: 'exit',
    maxWaitSeconds: FIRST_WAIT,
  }
}

export function emptyTarget(): TargetDraft {
  return { kind: 'http', http: emptyHttp(), image: emptyImage() }
}

/** What a job or a step does, as the console reads it: the payload as text, digit for digit. */
export interface ReadTarget extends Omit<PipelineStepRead, 'id' | 'payload'> {
  payload_text?: string | undefined
}

/** A target as the form shows it at first. */
export function targetDraft(target: ReadTarget): TargetDraft {
  if (target.image) return { kind: 'image', http: emptyHttp(), image: imageDraft(target.image) }
  return { kind: 'http', http: httpDraft(target), image: emptyImage() }
}

function httpDraft(target: ReadTarget): HttpDraft {
  const { payload_text: text, response } = target
  const waits = typeof response === 'object' ? response.callback.max_wait_seconds : null
  return {
    url: target.url ?? '',
    method: target.method ?? 'POST',
    headers: valueDrafts(target.headers ?? {}),
    content: text === undefined ? (target.body === undefined ? 'none' : 'text') : 'json',
    payload: text === undefined ? '' : (prettyJson(text) ?? text),
    body: target.body ?? '',
    contentType: target.content_type ?? '',
    response: waits === null ? 'sync' : 'callback',
    maxWaitSeconds: waits === null ? FIRST_WAIT : String(waits),
    timeoutSeconds: String(target.timeout_seconds ?? ''),
  }
}

function imageDraft(image: ImageRead): ImageDraft {
  const words = (list: string[] = []) => list.map((text, i) => ({ key: String(i), text }))
  return {
    name: image.name,
    tag: image.tag,
    command: words(image.command),
    args: words(image.args),
    env: valueDrafts(image.env),
    envFrom: image.env_from.map((source, i) => ({
      key: String(i),
      from: source.secret === undefined ? 'config_map' : 'secret',
      name: source.secret ?? source.config_map ?? '',
      prefix: source.prefix ?? '',
    })),
    timeoutSeconds: String(image.timeout_seconds),
    end: image.max_wait_seconds === null ? 'exit' : 'callback',
    maxWaitSeconds: image.max_wait_seconds === null ? FIRST_WAIT : String(image.max_wait_seconds),
  }
}

function valueDrafts(values: Record<string, string | { secret: string }>): ValueDraft[] {
  return Object.entries(values).map(([name, value]) => ({
    key: name,
    name,
    value: typeof value === 'string' ? value : '',
    isSecret: typeof value !== 'string',
    isStored: typeof value !== 'string',
  }))
}

/** What a header or variable is sent as: the mask keeps what is stored under its name. */
export function sentValue(draft: ValueDraft): string | { secret: string } {
  if (!draft.isSecret) return draft.value
  return { secret: draft.isStored && draft.value === '' ? SECRET_MASK : draft.value }
}

/** Requests that carry no body. */
export function hasNoBody(method: HttpDraft['method']): boolean {
  return method === 'GET' || method === 'HEAD'
}
