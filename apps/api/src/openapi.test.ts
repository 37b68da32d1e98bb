import { readFile } from 'node:fs/promises'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { ERROR_CODES } from '@workly/core'
import { describe, expect, it } from 'vitest'
import { FIELD_NOTES } from './field-notes.ts'
import { openApiDocument } from './openapi.ts'
import { OPERATIONS } from './routes/operations.ts'
import { generatedDocs, ROOT } from './write-openapi.ts'

const document = JSON.parse(
  JSON.stringify(openApiDocument({ version: '1.2.3', publicUrl: 'https://workly.test' })),
)

/** What the strictest rules of the linter say; the local server's address is meant. */
async function problems(source: string): Promise<string[]> {
  const config = await createConfig({
    extends: ['recommended-strict'],
    rules: { 'no-server-example.com': 'off' },
  })
  const found = await lintFromString({ source, config, absoluteRef: 'openapi.json' })
  return found.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`)
}

describe('the OpenAPI document', () => {
  it('passes the linter, its examples too', async () => {
    expect(await problems(JSON.stringify(document))).toEqual([])
  })

  it('would not pass with an example that its schema refuses', async () => {
    const spoilt = structuredClone(document)
    const { examples } = spoilt.paths['/v1/jobs/{name}'].put.requestBody.content['application/json']
    examples.a_pipeline.value.steps[1].max_attempts = 'many'
    expect((await problems(JSON.stringify(spoilt))).join()).toContain('no-invalid-media-type-examples')
  })

  it('has every call under both names, and no other', () => {
    const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods as object).map(method => `${method.toUpperCase()} ${path}`),
    )
    const of = (base: string) => [
      `GET ${base}`,
      `PUT ${base}/{name}`,
      `GET ${base}/{name}`,
      `PATCH ${base}/{name}`,
      `DELETE ${base}/{name}`,
      `POST ${base}/{name}/trigger`,
      `POST ${base}/{name}/pause`,
      `POST ${base}/{name}/resume`,
      `GET ${base}/{name}/runs`,
      `GET ${base}/{name}/times`,
      `POST ${base}/{name}/backfill`,
      `POST ${base}/preview`,
      `POST ${base}/test`,
    ]
    const runs = [
      'GET /v1/runs',
      'GET /v1/runs/{id}',
      'POST /v1/runs/{id}/retry',
      'POST /v1/runs/{id}/cancel',
      'POST /v1/callbacks/{attempt}/{token}',
    ]
    const organization = '/scheduler/organization/{organizationId}'
    const scheduler = [
      ['restRequest', 'requestId', ''],
      ['imageExecution', 'imageExecutionId', ''],
      ['pipeline', 'pipelineId', '/{stepId}'],
    ].flatMap(([kind, id, step]) => [
      `POST ${organization}/${kind}`,
      `GET ${organization}/${kind}`,
      `DELETE ${organization}/${kind}/{${id}}`,
      `POST ${organization}/${kind}/{${id}}/execution/{executionId}${step}`,
    ])
    scheduler.push(
      `DELETE ${organization}/imageExecution/{imageExecutionId}/execution/{executionId}`,
      `DELETE ${organization}/pipeline/{pipelineId}/execution/{executionId}/{stepId}`,
      `GET ${organization}/history`,
    )
    expect(calls.sort()).toEqual([...of('/v1/jobs'), ...of('/v1/schedules'), ...runs, ...scheduler].sort())
  })

  it('gives each call an example of what it takes and answers', () => {
    for (const op of OPERATIONS) {
      if (op.body?.required) expect(op.body.example, op.id).toBeDefined()
      for (const [status, answer] of Object.entries(op.answers)) {
        if (answer.schema || !['202', '204'].includes(status))
          expect(answer.example, `${op.id} ${status}`).toBeDefined()
      }
    }
  })

  it('says of every field what it is, and of no field that is not there', () => {
    const schemas = document.components.schemas as Record<
      string,
      { properties: Record<string, { description?: string }> }
    >
    for (const [name, { properties }] of Object.entries(schemas)) {
      for (const [field, { description }] of Object.entries(properties))
        expect(description, `${name}.${field}`).toBeTruthy()
    }
    const fields = new Set(Object.values(schemas).flatMap(({ properties }) => Object.keys(properties)))
    for (const notes of Object.values(FIELD_NOTES))
      for (const field of Object.keys(notes)) expect(fields).toContain(field)
    expect(Object.keys(FIELD_NOTES).sort()).toEqual(
      Object.keys(schemas)
        .filter(name => name !== 'Problem')
        .sort(),
    )
  })

  it('examples are read by the schemas that validate', () => {
    for (const op of OPERATIONS) {
      const bodies =
        op.body?.example === undefined ? [] : [op.body.example, ...(op.body.more ?? []).map(m => m.value)]
      for (const body of bodies) expect(op.body?.schema.parse(body)).toEqual(body)
      for (const answer of Object.values(op.answers)) {
        if (answer.schema) expect(answer.schema.parse(answer.example)).toEqual(answer.example)
      }
    }
  })

  it('knows every code that a problem may have', () => {
    expect(document.components.schemas.Problem.properties.code.enum).toEqual(Object.keys(ERROR_CODES))
  })

  it('says where its server is', () => {
    expect(document.servers).toEqual([{ url: 'https://workly.test' }])
    expect(document.info.version).toBe('1.2.3')
  })
})

describe('docs/', () => {
  it.each(Object.entries(generatedDocs()))('%s is what npm run generate writes', async (path, text) => {
    expect(await readFile(new URL(path, ROOT), 'utf8')).toBe(text)
  })

  it('docs/errors.md lists exactly the codes of the closed list, each with its status', async () => {
    const text = await readFile(new URL('docs/errors.md', ROOT), 'utf8')
    const listed = [...text.matchAll(/^## (\w+)\n\n\*\*(\d+)\*\*/gm)].map(([, code, status]) => [
      code,
      Number(status),
    ])
    expect(listed).toEqual(Object.entries(ERROR_CODES).map(([code, { status }]) => [code, status]))
  })
})
