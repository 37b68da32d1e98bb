import { WorklyError } from '@workly/core'
import { putJob, triggerJob } from '@workly/services'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callApp, NIGHTLY, startTestApi, type TestApi } from '../test/api-fixture.ts'
import { openAttempt } from '../test/open-attempt.ts'
import type { Operation } from './operation.ts'
import { OPERATIONS } from './routes/operations.ts'

// Every call that the API has, read from the API itself, made with what belongs to another organization.

/** Stands in whatever of the other organization's could be told. */
const MARK = 'of-another-tenant'
const FOREIGN = { ...NIGHTLY, description: MARK, tags: [MARK], payload: { [MARK]: MARK } }

let api: TestApi
/** The same, with test calls that reach nobody. */
let calling: TestApi['app']
/** By the name of a part of a path: what the other organization has there. */
let theirs: Record<string, string>
let before: string

async function theirState(): Promise<string> {
  const { sql } = api.services
  const { organizationId } = api.foreign.ctx
  const tables = await sql<{ table: string }[]>`
    select table_name as table from information_schema.columns
    where table_schema = 'public' and column_name = 'organization_id' order by 1`
  const rows = await Promise.all(
    tables.map(
      ({ table }) =>
        sql`select to_jsonb(t) - 'last_used_at' as row from ${sql(table)} t where organization_id = ${organizationId} order by 1`,
    ),
  )
  return JSON.stringify(rows)
}

beforeAll(async () => {
  api = await startTestApi()
  const nobody = () => Promise.reject(new WorklyError('conflict', 'Nobody is called here.'))
  calling = api.another({ makeCall: nobody })
  const { ctx } = api.foreign
  await putJob(ctx, 'theirs', { ...FOREIGN, response: { callback: { max_wait_seconds: 600 } } })
  const run = (await triggerJob(ctx, 'theirs')).id
  const attempt = await openAttempt(ctx, run)
  theirs = {
    name: 'theirs',
    run,
    attempt: attempt.id,
    token: 'A'.repeat(attempt.token.length),
    organizationId: ctx.organizationId,
    executionId: run,
    stepId: 'theirs',
    requestId: 'theirs',
    imageExecutionId: 'theirs',
    pipelineId: 'theirs',
  }
  await putJob(api.own.ctx, 'ours', NIGHTLY)
  before = await theirState()
})
afterAll(() => api.close())

const partsOf = ({ path }: Operation) => [...path.matchAll(/\{(\w+)\}/g)].map(([, part = '']) => part)

/** What the other organization has in place of a part of a path. @throws Error for a part that is new */
function theirPart({ path }: Operation, part: string): string {
  const name = part === 'id' ? (path.startsWith('/v1/runs/') ? 'run' : 'name') : part
  const value = theirs[name]
  if (value === undefined) throw new Error(`${path}: say here what another tenant has as {${part}}`)
  return value
}

/** A body that passes the schema, so that what is answered is about the thing and not about the body. */
const bodyOf = ({ body }: Operation) => body?.example

const OF_ONE_THING = OPERATIONS.filter(op => partsOf(op).some(part => part !== 'organizationId'))
const OF_ALL = OPERATIONS.filter(op => !OF_ONE_THING.includes(op))
const named = (ops: readonly Operation[]) =>
  ops.map((op): [string, Operation] => [`${op.method.toUpperCase()} ${op.path}`, op])

/** A PUT makes what is not there: one's own thing of the same name. */
const makes = (op: Operation) => op.method === 'put'

describe('with the ids and names of another organization', () => {
  it.each(named(OF_ONE_THING))('%s finds nothing and tells nothing', async (_, op) => {
    const own: Record<string, string> = { organizationId: api.own.ctx.organizationId }
    const path = op.path.replace(/\{(\w+)\}/g, (_all, part) => own[part] ?? theirPart(op, part))
    const answer = await api.call(op.method.toUpperCase(), path, { body: bodyOf(op) })
    expect(answer.status, answer.text).toBe(makes(op) ? 201 : 404)
    expect(answer.text).not.toContain(MARK)
    if (makes(op)) await api.call('DELETE', path)
  })

  it.each(named(OPERATIONS.filter(op => partsOf(op).includes('organizationId'))))(
    '%s is not found in an organization that is not the key’s',
    async (_, op) => {
      for (const organization of [theirs.organizationId ?? '', 'foreign', 'nowhere']) {
        const path = op.path.replace(/\{(\w+)\}/g, (_all, part) =>
          part === 'organizationId' ? organization : theirPart(op, part),
        )
        const answer = await api.call(op.method.toUpperCase(), path, { body: bodyOf(op) })
        expect(answer.status, answer.text).toBe(404)
        expect(answer.text).not.toContain(MARK)
      }
    },
  )

  it.each(named(OF_ALL))('%s tells nothing of them, whatever it is asked for', async (_, op) => {
    const path = op.path.replace('{organizationId}', api.own.ctx.organizationId)
    const asked = ['', `?search=${MARK}`, `?tag=${MARK}`, '?job=theirs', '?schedulerId=theirs', '?limit=200']
    for (const query of asked) {
      const answer = await callApp(calling, op.method.toUpperCase(), path + query, {
        key: api.own.keys.write,
        body: bodyOf(op),
      })
      expect(answer.status).toBeLessThan(500)
      // What was asked for may be named in an error.
      expect(answer.text.replaceAll(`\\"${MARK}\\"`, ''), query).not.toContain(MARK)
      if (op.method === 'get' && answer.status === 200) expect(answer.text).not.toContain(theirs.run)
    }
  })

  it('a body that names another tenant’s job, run or project finds none', async () => {
    const named = await api.call('POST', '/v1/jobs/test', { body: { job: 'theirs', url: NIGHTLY.url } })
    expect(named.status).toBe(404)
    const ids = { id: theirs.run, name: 'theirs', project: api.foreign.ctx.projectId }
    for (const body of [
      { ...NIGHTLY, project_id: ids.project },
      { ...NIGHTLY, organization_id: theirs.organizationId },
    ]) {
      expect((await api.call('PUT', '/v1/jobs/mine', { body })).status).toBe(400)
    }
    // What is only read may be sent back and counts for nothing: the path alone says which job is meant.
    const put = await api.call('PUT', '/v1/jobs/mine', { body: { ...NIGHTLY, id: ids.id, name: ids.name } })
    expect(put.body).toMatchObject({ name: 'mine' })
    expect(put.body.id).not.toBe(ids.id)
  })

  it('a cursor of another tenant’s list leads nowhere else', async () => {
    await putJob(api.foreign.ctx, 'theirs-too', FOREIGN)
    const list = await api.call('GET', '/v1/jobs?limit=1', { key: api.foreign.keys.read })
    const answer = await api.call('GET', `/v1/jobs?cursor=${list.body.next_cursor}`)
    expect(answer.status).toBe(200)
    expect(answer.text).not.toContain(MARK)
    await api.call('DELETE', '/v1/jobs/theirs-too', { key: api.foreign.keys.write })
  })

  it('the metrics of a project tell nothing of them', async () => {
    expect((await api.call('GET', '/v1/metrics')).text).not.toContain('theirs')
  })
})

it('after all this everything of the other organization is as it was', async () => {
  const { sql } = api.services
  // The one job that the test itself has made and deleted there.
  await sql`delete from audit_entries where subject_name = 'theirs-too'`
  const now = await theirState()
  const rows = (text: string) => (JSON.parse(text) as { row: { name?: string } }[][]).flat()
  expect(rows(now).filter(({ row }) => row.name === 'theirs')).toEqual(
    rows(before).filter(({ row }) => row.name === 'theirs'),
  )
  expect((await api.call('GET', '/v1/jobs/theirs', { key: api.foreign.keys.read })).body.description).toBe(
    MARK,
  )
  expect((await api.call('GET', `/v1/runs/${theirs.run}`, { key: api.foreign.keys.read })).body.state).toBe(
    'running',
  )
})

it('there is no call that is not an operation, but the pages and metrics that belong to no tenant’s thing', () => {
  const known = new Set(
    OPERATIONS.map(op => `${op.method.toUpperCase()} ${op.path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
  )
  const others = new Set(
    api.app.routes.map(({ method, path }) => `${method} ${path}`).filter(route => !known.has(route)),
  )
  expect([...others].sort()).toEqual([
    'ALL /*',
    'GET /docs',
    'GET /docs/errors',
    'GET /healthz',
    'GET /metrics',
    'GET /readyz',
    'GET /v1/metrics',
    'GET /v1/openapi.json',
    'OPTIONS /*',
  ])
})

describe('without a key', () => {
  it.each(named(OPERATIONS.filter(op => !op.open)))(
    '%s is refused before anything is looked at',
    async (_, op) => {
      const path = op.path.replace(/\{(\w+)\}/g, (_all, part) => theirPart(op, part))
      const answers = await Promise.all(
        [null, `wk_${'0'.repeat(26)}_${'A'.repeat(43)}`, 'nonsense'].map(key =>
          api.call(op.method.toUpperCase(), path, { key, body: bodyOf(op) }),
        ),
      )
      expect(answers.map(answer => answer.status)).toEqual([401, 401, 401])
      for (const answer of answers) expect(answer.text).not.toContain(MARK)
    },
  )

  it.each(named(OPERATIONS.filter(op => op.scope !== 'read' && !op.open)))(
    '%s is refused to a key that may only read',
    async (_, op) => {
      const path = op.path.replace(/\{(\w+)\}/g, (_all, part) => theirPart(op, part))
      const answer = await api.call(op.method.toUpperCase(), path, {
        key: api.foreign.keys.read,
        body: bodyOf(op),
      })
      expect(answer.status).toBe(403)
      expect(answer.text).not.toContain(MARK)
    },
  )
})
