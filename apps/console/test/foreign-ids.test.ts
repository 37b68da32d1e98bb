import { putJob, triggerJob } from '@workly/services'
import { makeTenant, openServices, type Tenant, type TestServices } from '@workly/services/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCaller } from '../src/trpc/init.ts'
import { appRouter } from '../src/trpc/router.ts'
import { INPUTS, makeCall } from './procedure-inputs.ts'

// Every procedure that the console has, read from the router itself, called by a member of one organization with what
// belongs to another.

/** Stands in whatever of the other organization's could be told. */
const MARK = 'of-another-tenant'
const PATHS = Object.keys(appRouter._def.procedures).sort()
const IN_A_PROJECT = PATHS.filter(path => INPUTS[path]?.place !== 'nowhere')

let t: TestServices
let mine: Tenant
let other: Tenant
let theirRun: string
beforeAll(async () => {
  t = await openServices()
  mine = await makeTenant(t.services)
  other = await makeTenant(t.services)
  const settings = { cron: '0 3 * * *', url: `https://${MARK}.example.com/`, description: MARK, tags: [MARK] }
  await putJob(other.as('owner'), 'theirs', settings)
  theirRun = (await triggerJob(other.as('owner'), 'theirs')).id
})
afterAll(() => t.drop())

/** Calls a procedure by its path. @returns what it answers, or what it throws */
async function call(path: string, input: unknown, session: { userId: string; epoch: number } | null) {
  const caller = createCaller(appRouter)({ services: t.services, session, requestId: 'rqs_test', makeCall })
  let procedure: unknown = caller
  for (const part of path.split('.')) procedure = (procedure as Record<string, unknown>)[part]
  try {
    return { answer: await (procedure as (given: unknown) => Promise<unknown>)(input), code: null }
  } catch (error) {
    const { code, message, cause } = error as { code?: string; message: string; cause?: { issues?: unknown } }
    return { answer: { message, issues: cause?.issues }, code: code ?? String(error) }
  }
}

const me = () => ({ userId: mine.userOf('owner'), epoch: 0 })

it('every procedure says here what it takes', () => {
  expect(Object.keys(INPUTS).sort()).toEqual(PATHS)
})

describe('a member of another organization', () => {
  it.each(IN_A_PROJECT)('%s is not found in an organization or project of others', async path => {
    const { rest } = INPUTS[path] ?? { rest: {} }
    const places = [
      { organization: other.organizationId, project: other.projectId },
      { organization: other.organizationId, project: mine.projectId },
      { organization: other.organizationId, project: 'main' },
      { organization: mine.organizationId, project: other.projectId },
      { organization: mine.organizationId, project: 'nowhere' },
    ]
    for (const place of places) {
      const { code, answer } = await call(path, { ...place, name: 'theirs', id: theirRun, ...rest }, me())
      expect(code, JSON.stringify(answer)).toBe('NOT_FOUND')
      expect(JSON.stringify(answer)).not.toContain(MARK)
    }
  })

  it.each(IN_A_PROJECT)('%s tells nothing of others’ things within one’s own project', async path => {
    const { rest, finds, absent = 'NOT_FOUND' } = INPUTS[path] ?? { rest: {}, finds: 'one' }
    const place = { organization: mine.organizationId, project: mine.projectId }
    const { code, answer } = await call(path, { ...place, name: 'theirs', id: theirRun, ...rest }, me())
    if (finds === 'one') expect(code, JSON.stringify(answer)).toBe(absent)
    expect(JSON.stringify(answer ?? null)).not.toContain(MARK)
    const named = await call(path, { ...place, ...rest, job: 'theirs', search: MARK, tag: MARK }, me())
    expect(JSON.stringify(named.answer ?? null)).not.toContain(MARK)
  })
})

describe('nobody', () => {
  it.each(PATHS)(
    '%s is refused without a session, with one that is over and with one of nobody',
    async path => {
      const { rest, open } = INPUTS[path] ?? { rest: {} }
      const place = { organization: other.organizationId, project: other.projectId }
      for (const session of [
        null,
        { userId: other.userOf('owner'), epoch: 7 },
        { userId: 'usr_x', epoch: 0 },
      ]) {
        const { code, answer } = await call(
          path,
          { ...place, name: 'theirs', id: theirRun, ...rest },
          session,
        )
        expect(code).toBe(open ? 'NOT_FOUND' : 'UNAUTHORIZED')
        expect(JSON.stringify(answer)).not.toContain(MARK)
      }
    },
  )
})

it('a viewer changes nothing: every procedure that changes something is refused', async () => {
  const viewer = { userId: other.userOf('viewer'), epoch: 0 }
  const place = { organization: other.organizationId, project: other.projectId }
  for (const path of IN_A_PROJECT) {
    const { rest, changes } = INPUTS[path] ?? { rest: {} }
    if (!changes) continue
    const { code } = await call(path, { ...place, name: 'theirs', id: theirRun, ...rest }, viewer)
    expect(code, path).toBe('FORBIDDEN')
  }
})
