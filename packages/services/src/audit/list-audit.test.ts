import { afterAll, beforeAll, expect, test } from 'vitest'
import { MEMBERS, makeTenant, openServices, type TestServices, whoMay } from '../../test/tenants.ts'
import { updateProject } from '../project/update-project.ts'
import { wireInstant } from '../wire-instant.ts'
import { listAudit } from './list-audit.ts'

let t: TestServices
beforeAll(async () => {
  t = await openServices()
})
afterAll(() => t.drop())

test('changes are told newest first, page by page, each once, even within a millisecond', async () => {
  const { as } = await makeTenant(t.services)
  for (let change = 0; change < 7; change++) {
    if (change % 3 === 0) t.advance(1)
    await updateProject(as('admin'), { name: `Name ${change}` })
  }
  const all = await listAudit(as('viewer'), { limit: 200 })
  expect(all.next_cursor).toBeNull()
  expect(all.data).toHaveLength(9)
  const times = all.data.map(entry => Date.parse(entry.created_at))
  expect(times).toEqual([...times].sort((a, b) => b - a))
  const paged: string[] = []
  let cursor: string | null = null
  do {
    const page: Awaited<ReturnType<typeof listAudit>> = await listAudit(as('viewer'), { limit: 2, cursor })
    expect(page.data.length).toBeLessThanOrEqual(2)
    paged.push(...page.data.map(entry => entry.id))
    cursor = page.next_cursor
  } while (cursor !== null)
  expect(paged).toEqual(all.data.map(entry => entry.id))
})

test('an entry says who did what to what, with before and after', async () => {
  const { as, projectId, userOf } = await makeTenant(t.services)
  t.advance(1)
  await updateProject(as('admin'), { name: 'Renamed' })
  const { data } = await listAudit(as('viewer'), { limit: 1 })
  expect(data).toEqual([
    {
      id: expect.stringMatching(/^aud_/),
      project_id: projectId,
      actor: { kind: 'user', id: userOf('admin'), name: 'admin' },
      action: 'project.update',
      subject: { kind: 'project', id: projectId, name: 'Renamed' },
      before: { name: 'Main' },
      after: { name: 'Renamed' },
      request_id: 'rqs_test',
      created_at: wireInstant(t.now()),
    },
  ])
})

test('a tenant’s log holds nothing of another, and another’s cursor leads nowhere else', async () => {
  const [mine, other] = [await makeTenant(t.services), await makeTenant(t.services)]
  const foreign = await listAudit(other.as('owner'), { limit: 1 })
  const ids = (await listAudit(other.as('owner'))).data.map(entry => entry.id)
  for (const cursor of [null, foreign.next_cursor]) {
    const { data } = await listAudit(mine.as('owner'), { cursor })
    expect(data.filter(entry => ids.includes(entry.id))).toEqual([])
  }
})

test('every member reads it, and no key does', async () => {
  const tenant = await makeTenant(t.services)
  expect(await whoMay(tenant, ctx => listAudit(ctx))).toEqual(MEMBERS)
})

test.each([{ limit: 0 }, { limit: 201 }, { limit: 1.5 }, { cursor: 'x' }, { cursor: '' }, { page: 2 }])(
  '%j is refused by name',
  async input => {
    const tenant = await makeTenant(t.services)
    await expect(listAudit(tenant.as('viewer'), input)).rejects.toMatchObject({
      code: 'invalid_request',
      issues: [{ field: Object.keys(input)[0] }],
    })
  },
)
