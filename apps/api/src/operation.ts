import { type FieldIssue, invalid, readWire, WorklyError } from '@workly/core'
import type { MakeCall, ProjectContext, Scope } from '@workly/services'
import type { z } from 'zod'
import { readQuery } from './read-query.ts'

/** What one call brings, read and checked. */
export interface Call<Query, Body> {
  ctx: ProjectContext
  /** The path as it was called, such as `/v1/schedules/nightly-report`. */
  path: string
  /** A part of the path, decoded. */
  param(name: string): string
  header(name: string): string | undefined
  /** Makes a call to a target, through the network guard. */
  makeCall: MakeCall
  query: Query
  body: Body
}

/** Every POST with an API key takes it (spec section 8); see {@link isKeyed}. */
const IDEMPOTENCY_KEY: HeaderNote = {
  name: 'Idempotency-Key',
  description:
    'Done once per key for 24 hours; sent again, the first answer is given again (`Idempotent-Replayed: true`).',
  example: '5b0f6f0e-9d0c-4b0e-8f57-0e0f1c3f7c1a',
}

/** What is answered: `body` as JSON, nothing for 204. */
export type Reply =
  | { status: 200 | 201 | 202; body: unknown; headers?: Record<string, string> }
  | { status: 204; headers?: Record<string, string> }

/** A list that may be too long to be held at once: its entries as they are read, sent on as one JSON array. */
export interface PartedReply {
  status: 200
  parts: AsyncIterable<unknown[]>
}

/** A header as the document describes it. */
export interface HeaderNote {
  name: string
  description: string
  example: string
}

/** A further example of a body. */
export interface Example {
  summary: string
  value: unknown
}

/** A possible answer, for the document. */
export interface Answer {
  description: string
  schema?: z.ZodType
  example?: unknown
  headers?: HeaderNote[]
}

/** What the document says of an operation, and what reads its input: one description for both. */
interface Description<Params, Query, Body> {
  method: 'get' | 'put' | 'patch' | 'delete' | 'post'
  /** With `{name}` for its parts. */
  path: string
  /** `operationId`, unique in the document. */
  id: string
  tag: string
  summary: string
  description?: string
  /** What the key needs; the verb asks for it. */
  scope: Scope
  /** Checked together with the body, so that all is named at once; a part without a schema is the verb's to judge. */
  params?: Params
  query?: Query
  /** A body that is not required counts as `{}` when nothing is sent. */
  body?: {
    schema: Body
    required: boolean
    example?: unknown
    more?: readonly Example[]
    /** Where the schema found something: what the verb would say of the rest, so that all is named at once. */
    also?(ctx: ProjectContext, sent: object, found: readonly FieldIssue[]): Promise<FieldIssue[]>
  }
  /** Header fields of the request that matter. */
  requestHeaders?: HeaderNote[]
  answers: Partial<Record<Reply['status'], Answer>>
  /** Needs no API key: something in its path proves the caller. Its context may then be nobody's. */
  open?: boolean
  /** Does not count against the rate of requests. */
  unpaced?: boolean
  /** An `Idempotency-Key` is kept from before the effect, which no transaction can hold. Default: committed with it. */
  keyFromBefore?: boolean
  /**
   * What an answer of success waits for once its effect is committed, and so does one that is given again; false: it takes
   * longer, which the answer then says by 202. `withinMs` is how long that is; undefined for the usual.
   */
  settles?(
    ctx: ProjectContext,
    param: (name: string) => string,
    withinMs: number | undefined,
  ): Promise<boolean>
  /** Statuses of errors beyond those that every call of its kind has (400, 401, 403, 413, 429; 409 and 422 of a key). */
  problems?: (404 | 409 | 412)[]
}

export interface Operation extends Description<z.ZodObject, z.ZodObject, z.ZodType> {
  /** Reads the input and calls the verb. @throws WorklyError */
  answer(request: RawCall): Promise<Reply | PartedReply>
}

/** Whether it is done once per `Idempotency-Key`: a key is of a project, and a report is done once as it is. */
export function isKeyed({ method, open }: Pick<Operation, 'method' | 'open'>): boolean {
  return method === 'post' && !open
}

/** Whether it counts against the rate of requests, which is that of an API key. */
export function isPaced({ open, unpaced }: Pick<Operation, 'open' | 'unpaced'>): boolean {
  return !open && !unpaced
}

/** A call before its query and body are read. */
export interface RawCall
  extends Pick<Call<unknown, unknown>, 'ctx' | 'path' | 'param' | 'header' | 'makeCall'> {
  params: Record<string, string>
  search: URLSearchParams
  /** The body's JSON; undefined when nothing was sent. @throws WorklyError */
  json(): Promise<unknown>
}

/** One call of the API: its description, and the verb behind it. */
export function operation<
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType = z.ZodUndefined,
>(
  spec: Description<Params, Query, Body> & {
    handle(call: Call<z.infer<Query>, z.infer<Body>>): Promise<Reply | PartedReply>
  },
): Operation {
  const { handle, ...description } = spec
  const keyed = isKeyed(spec) ? { requestHeaders: [...(spec.requestHeaders ?? []), IDEMPOTENCY_KEY] } : {}
  return {
    ...description,
    ...keyed,
    async answer(request) {
      const issues: FieldIssue[] = []
      if (spec.params) collect(issues, spec.params, request.params)
      const query = readQuery(issues, spec.query, request.search)
      const sent = spec.body ? await bodyOf(spec.body, request) : {}
      const body = spec.body ? collect(issues, spec.body.schema, sent) : undefined
      if (issues.length > 0)
        throw invalid([...issues, ...((await spec.body?.also?.(request.ctx, sent, issues)) ?? [])])
      const { ctx, path, param, header, makeCall } = request
      return handle({
        ctx,
        path,
        param,
        header,
        makeCall,
        query: query as z.infer<Query>,
        body: body as z.infer<Body>,
      })
    },
  }
}

async function bodyOf(expected: { required: boolean }, request: RawCall): Promise<object> {
  const sent = await request.json()
  if (sent === undefined) {
    if (!expected.required) return {}
    throw invalid([{ field: '', message: 'The body is empty. Send a JSON object.' }])
  }
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent) || 'rawJSON' in sent) {
    throw invalid([{ field: '', message: 'The body must be a JSON object.' }])
  }
  return sent
}

/** The value by its schema; what is wrong with it is added to `issues`. */
function collect(issues: FieldIssue[], schema: z.ZodType, value: unknown): unknown {
  try {
    return readWire(schema, value)
  } catch (error) {
    if (!(error instanceof WorklyError)) throw error
    issues.push(...error.issues)
    return undefined
  }
}
