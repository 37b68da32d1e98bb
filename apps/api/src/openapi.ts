import { OpenAPIHono, type RouteConfig, z } from '@hono/zod-openapi'
import { ERROR_CODES, type ErrorCode } from '@workly/core'
import { exampleProblem } from './examples.ts'
import { FIELD_NOTES } from './field-notes.ts'
import { Problem } from './named-schemas.ts'
import { type Answer, type HeaderNote, isKeyed, type Operation } from './operation.ts'
import { CHANGED, ETAG, LOCATION } from './routes/job-headers.ts'
import { OPERATIONS } from './routes/operations.ts'

const RATE: HeaderNote = {
  name: 'RateLimit',
  description: 'How many requests the key has left, and in how many seconds all are back.',
  example: '"key";r=199;t=1',
}
const REQUEST_ID: HeaderNote = {
  name: 'X-Request-Id',
  description: 'The id of the request; a sane one that was sent is kept.',
  example: 'rqs_01kbbc7m2n4p6q8r0s2t4v6w8x',
}
const RETRY_AFTER: HeaderNote = { name: 'Retry-After', description: 'Seconds to wait.', example: '1' }

/** The document as JSON: a plain object. */
export type OpenApiDocument = ReturnType<OpenAPIHono['getOpenAPI31Document']>

/** Statuses of errors that an operation may answer. */
const PROBLEM_STATUSES = [400, 401, 403, 404, 409, 412, 413, 422, 429, 500, 503]

type Components = NonNullable<OpenApiDocument['components']>
type ResponseObject = NonNullable<Components['responses']>[string]
type SchemaObject = NonNullable<Components['schemas']>[string]

/** OpenAPI 3.1 of every operation, from the schemas that validate. */
export function openApiDocument({
  version,
  publicUrl,
}: {
  version: string
  publicUrl: string
}): OpenApiDocument {
  const registry = new OpenAPIHono()
  registry.openAPIRegistry.registerComponent('securitySchemes', 'apiKey', {
    type: 'http',
    scheme: 'bearer',
    description:
      'An API key of the project. Its scope is `read`, `run` or `write`; each contains the one before.',
  })
  registry.openAPIRegistry.registerComponent('schemas', 'Problem', problemSchema())
  for (const status of PROBLEM_STATUSES) {
    registry.openAPIRegistry.registerComponent('responses', `Problem${status}`, problemAnswer(status))
  }
  for (const note of [ETAG, CHANGED, LOCATION, RATE, REQUEST_ID, RETRY_AFTER]) {
    const { name, description, example } = note
    registry.openAPIRegistry.registerComponent('headers', name, {
      description,
      schema: { type: 'string' },
      example,
    })
  }
  for (const op of OPERATIONS) registry.openAPIRegistry.registerPath(routeOf(op))
  const document = registry.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Workly',
      version,
      description: INTRODUCTION,
      license: { name: 'Proprietary', url: publicUrl },
    },
    servers: [{ url: publicUrl }],
    security: [{ apiKey: [] }],
    tags: [
      { name: 'Jobs', description: 'A schedule in a time zone, a target to call, and settings.' },
      {
        name: 'Schedules',
        description: 'The same resource as jobs under another name: the same names, the same ids.',
      },
      { name: 'Runs', description: 'Each occurrence of a schedule, each Run now, with every attempt.' },
      { name: 'Callbacks', description: 'How targets of callback requests report that they are done.' },
      {
        name: 'Organization scheduler',
        description:
          "The same jobs and runs in the organization scheduler's words: schedulations and executions. `organizationId` is the slug or the id of the key's organization; all of it is in the key's project.",
      },
    ],
  })
  describeFields(document)
  return document
}

/** Puts the notes beside the fields; a field that refers to another schema may have one too (JSON Schema 2020-12). */
function describeFields({ components }: OpenApiDocument): void {
  for (const [name, schema] of Object.entries(components?.schemas ?? {})) {
    if (!('properties' in schema)) continue
    for (const [field, value] of Object.entries(schema.properties ?? {})) {
      const note = FIELD_NOTES[name]?.[field]
      if (note !== undefined) Object.assign(value, { description: note })
    }
  }
}

const INTRODUCTION = [
  'Workly calls your code on time: a job is a schedule and a target; each call is a run, signed, retried and recorded.',
  'JSON in snake_case; instants are RFC 3339 with an offset. The body is read as JSON whatever its `Content-Type` says.',
  'Every error is an RFC 9457 problem document whose `code` is of a closed list. Lists are newest first: send',
  '`next_cursor` back as `cursor` for the next page.',
].join(' ')

function routeOf(op: Operation): RouteConfig {
  const answers = Object.entries(op.answers).map(([status, answer]) => [status, answerOf(answer)])
  const notes = op.requestHeaders ?? []
  return {
    method: op.method,
    path: op.path,
    operationId: op.id,
    tags: [op.tag],
    ...(op.open && { security: [] }),
    summary: op.summary,
    description: [op.description, op.open ? '' : `Needs the scope \`${op.scope}\`.`]
      .filter(Boolean)
      .join(' '),
    request: {
      ...(op.path.includes('{') && { params: paramsOf(op) }),
      ...(op.query && { query: op.query }),
      ...(notes.length > 0 && { headers: notes.map(headerParameter) }),
      ...(op.body?.example !== undefined && {
        body: {
          required: op.body.required,
          content: { 'application/json': { schema: op.body.schema, ...examplesOf(op.body) } },
        },
      }),
    },
    responses: Object.fromEntries([...answers, ...problemsOf(op)]),
  }
}

/** One example alone, or several by name. */
function examplesOf({ example, more = [] }: NonNullable<Operation['body']>) {
  if (more.length === 0) return { example }
  const all = [{ summary: 'The usual', value: example }, ...more]
  return {
    examples: Object.fromEntries(all.map(one => [one.summary.toLowerCase().replaceAll(' ', '_'), one])),
  }
}

function paramsOf({ path, params }: Operation): z.ZodObject {
  if (params) return params
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '')
  return z.object(Object.fromEntries(names.map(name => [name, z.string()])))
}

function headerParameter({ name, description, example }: HeaderNote) {
  return z
    .string()
    .optional()
    .openapi({ param: { name, in: 'header', description }, example })
}

function answerOf({ description, schema, example, headers = [] }: Answer) {
  return {
    description,
    headers: headersOf([...headers, REQUEST_ID, RATE]),
    ...(schema && { content: { 'application/json': { schema, example } } }),
  }
}

/** Headers of all answers stand once, as components. */
function headersOf(notes: HeaderNote[]) {
  const shared = notes.map(note => [note.name, { $ref: `#/components/headers/${note.name}` }])
  return Object.fromEntries(shared)
}

/** The errors of an operation: those of every call, and its own. */
function problemsOf(op: Operation): [string, object][] {
  // 429 also where no rate of a key holds: who has none is held to one per address.
  const statuses = new Set<number>([400, 401, 429, 500, 503, ...(op.problems ?? [])])
  // Every key has the scope read.
  if (op.scope !== 'read') statuses.add(403)
  if (op.body) statuses.add(413)
  if (isKeyed(op)) statuses.add(409).add(422)
  return [...statuses]
    .sort((a, b) => a - b)
    .map(status => [String(status), { $ref: `#/components/responses/Problem${status}` }])
}

/** Only referred to by answers that stand as components, so it is put in by hand. */
function problemSchema(): SchemaObject {
  const { $schema: _, ...schema } = z.toJSONSchema(Problem)
  return schema as SchemaObject
}

/** Who is told so. */
const TOO_MANY =
  ' Per API key; without a valid one, per address that the calls come from. `Retry-After` says when to come back.'

function problemAnswer(status: number): ResponseObject {
  const codes = (Object.keys(ERROR_CODES) as ErrorCode[]).filter(code => ERROR_CODES[code].status === status)
  const [code = 'internal'] = codes
  const waits = status === 429 || status === 503
  return {
    description: `${ERROR_CODES[code].title}. Codes: ${codes.map(name => `\`${name}\``).join(', ')}.${status === 429 ? TOO_MANY : ''}`,
    headers: headersOf(waits ? [REQUEST_ID, RETRY_AFTER] : [REQUEST_ID]),
    content: {
      'application/problem+json': {
        schema: { $ref: '#/components/schemas/Problem' },
        example: exampleProblem(code),
      },
    },
  }
}
