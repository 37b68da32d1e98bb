import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createSql, migrate } from '@workly/db'
import { removeEmbeddedPostgres, startEmbeddedPostgres } from '@workly/db/embedded'
import { createTestDatabase, type TestDatabase } from '@workly/db/testing'
import { putJob, readEncryptionKeys, type Services } from '@workly/services'
import { makeTenant, openServices, type Tenant, type TestServices } from '@workly/services/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { operate } from './operate.ts'

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url))
const MIGRATIONS = fileURLToPath(new URL('../../../prisma/migrations', import.meta.url))

const key = (id: string) => `${id}:${randomBytes(32).toString('base64')}`
const [k1, k2] = [key('k1'), key('k2')]

let t: TestServices
let services: Services
let tenant: Tenant
let organization: string
beforeAll(async () => {
  t = await openServices()
  services = { ...t.services, encryption: readEncryptionKeys(k1) }
  tenant = await makeTenant(services)
  const [row] = await t.sql<{ slug: string }[]>`select slug from organizations`
  organization = row?.slug ?? ''
})
afterAll(() => t?.drop())

interface Ended {
  code: number
  out: string
  err: string
}

/** Carries out a command, with what it writes. */
async function operator(line: string, env: Record<string, string> = {}): Promise<Ended> {
  const ended = { code: 0, out: '', err: '' }
  ended.code = await operate(
    line.split(' ').filter(word => word !== ''),
    { DATABASE_URL: t.url, ...env },
    {
      out: text => {
        ended.out += text
      },
      err: text => {
        ended.err += text
      },
    },
  )
  return ended
}

test('the process writes to where it belongs and ends with the exit code', async () => {
  const start = (...args: string[]) =>
    new Promise<Ended>(resolve => {
      const env = { PATH: process.env.PATH ?? '', DATABASE_URL: t.url }
      execFile(process.execPath, [MAIN, ...args], { env }, (error, out, err) => {
        resolve({ code: error === null ? 0 : Number(error.code), out, err })
      })
    })
  const [shown, refused] = await Promise.all([start('limits'), start('limits', '--organization', 'nobody')])
  expect(shown).toMatchObject({ code: 0, out: expect.stringContaining('jobs_per_organization'), err: '' })
  expect(refused).toEqual({ code: 2, out: '', err: 'There is no organization "nobody".\n' })
})

test('limits are shown, set and cleared, each with what changed', async () => {
  const set = await operator(`limits set --organization ${organization} jobs_per_organization=20000`)
  expect(set).toEqual({
    code: 0,
    out: `organization ${organization}\n  jobs_per_organization: not set → 20000\n`,
    err: '',
  })
  await operator(`limits set --organization ${organization} --project main host_calls_in_flight=7`)
  const shown = await operator('limits', { WORKLY_LIMIT_PROJECT_CALLS_IN_FLIGHT: '33' })
  expect(shown.out).toMatch(/project_calls_in_flight +33\n/)
  expect(shown.out).toMatch(
    new RegExp(`organization ${organization}\n.*\n +jobs_per_organization +10000 +20000 +20000\n`),
  )
  expect(shown.out).toMatch(
    new RegExp(`project ${organization}/main\n(.*\n)+ +host_calls_in_flight +50 +7 +7\n`),
  )
  const cleared = await operator(`limits clear --organization ${organization} --project main --all`)
  expect(cleared.out).toBe(`project ${organization}/main\n  host_calls_in_flight: 7 → not set\n`)
  const again = await operator(`limits clear --organization ${organization} --project main --all`)
  expect(again).toMatchObject({
    code: 0,
    out: `Nothing to change: project ${organization}/main is set so already.\n`,
  })
  const audited = await t.sql`select actor_kind, actor_name from audit_entries where action = 'limits.set'`
  expect(audited).toEqual(Array.from({ length: 3 }, () => ({ actor_kind: 'system', actor_name: 'operator' })))
})

test('what is wrong is said on stderr in a sentence, with what is allowed, and nothing is written', async () => {
  const bad = await operator(`limits set --organization ${organization} host_calls_in_flight=0 jobs=many`)
  expect(bad).toMatchObject({ code: 2, out: '' })
  expect(bad.err).toContain('host_calls_in_flight: a whole number from 1 to 1000000 is allowed.')
  expect(bad.err).toContain('jobs: there is no such limit; the limits are jobs_per_organization,')
  const nobody = await operator('limits --organization nobody')
  expect(nobody).toEqual({ code: 2, out: '', err: 'There is no organization "nobody".\n' })
  const unknown = await operator('limit')
  expect(unknown).toMatchObject({ code: 2, err: expect.stringContaining('npm run operator -- help') })
  const environment = await operator('limits', { DATABASE_URL: 'mysql://u:hunter2@db/x' })
  expect(environment).toMatchObject({ code: 2, err: expect.stringContaining('DATABASE_URL') })
  expect(environment.err).not.toContain('hunter2')
})

test('encryption keys are rotated; a missing one is told and nothing is lost', async () => {
  const ctx = { ...tenant.as('owner'), services }
  await putJob(ctx, 'secret', {
    cron: '0 3 * * *',
    url: 'https://target.example/',
    headers: { 'X-Key': { secret: 'hush' } },
  })
  expect(await operator('encryption rotate')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^WORKLY_ENCRYPTION_KEYS is not set/),
  })
  const missing = await operator('encryption rotate', { WORKLY_ENCRYPTION_KEYS: k2 })
  expect(missing).toMatchObject({ code: 1 })
  expect(missing.err).toMatch(
    /could not be read and are as they were:\n {2}signing_secrets sgn_\w+: no encryption key/,
  )
  const done = await operator('encryption rotate', { WORKLY_ENCRYPTION_KEYS: `${k2},${k1}` })
  expect(done).toMatchObject({
    code: 0,
    out: expect.stringContaining('2 secrets are encrypted anew with k2.'),
  })
  const again = await operator('encryption rotate', { WORKLY_ENCRYPTION_KEYS: k2 })
  expect(again.out).toContain('Every secret is encrypted with k2 already.')
})

test('help names every command and every limit with its range', async () => {
  const { code, out } = await operator('help', { DATABASE_URL: '' })
  expect(code).toBe(0)
  for (const word of [
    'limits set',
    'limits clear',
    'encryption rotate',
    'shortest_interval_seconds  1 to 86400',
  ]) {
    expect(out).toContain(word)
  }
})

test('a database that is not there, or has no tables of ours, is told in a sentence', async () => {
  const empty: TestDatabase = await createTestDatabase()
  try {
    await empty.sql`drop table organizations cascade`
    expect(await operator('limits', { DATABASE_URL: empty.url })).toMatchObject({
      code: 1,
      err: 'This database has no tables of this Workly. Start Workly on it first.\n',
    })
  } finally {
    await empty.drop()
  }
  expect(await operator('limits', { DATABASE_URL: empty.url })).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^The database at DATABASE_URL cannot be used: /),
  })
})

test('without DATABASE_URL it acts on the embedded database, whether its server runs or not', async () => {
  const folder = mkdtempSync(join(tmpdir(), `workly-test-${process.pid}-operator-`))
  chmodSync(folder, 0o755)
  const dataDir = join(folder, 'data')
  const here = { DATABASE_URL: '', WORKLY_DATA_DIR: dataDir }
  const nothing = await operator('limits', here)
  expect(nothing).toMatchObject({
    code: 1,
    err: expect.stringContaining(`There is no Workly in ${dataDir}.`),
  })
  expect(existsSync(dataDir)).toBe(false)
  try {
    const postgres = await startEmbeddedPostgres({ dataDir: join(dataDir, 'postgres'), fast: true })
    writeFileSync(join(dataDir, 'keys'), `# Keys.\nWORKLY_ENCRYPTION_KEYS=${k1}\nNEXTAUTH_SECRET=x\n`)
    await migrate(postgres.url, MIGRATIONS)
    const sql = createSql(postgres.url, { max: 1, name: 'workly test' })
    await makeTenant({ ...services, sql })
    const [row] = await sql<{ slug: string }[]>`select slug from organizations`
    const set = await operator(`limits set --organization ${row?.slug} jobs_per_organization=5`, here)
    expect(set).toMatchObject({ code: 0, err: '' })
    expect(await sql`select limits from organizations`).toEqual([{ limits: { jobs_per_organization: 5 } }])
    await sql.end()
    // It was the only other user, and the server is left to nobody.
    expect(await postgres.stop()).toBe(true)
    const shown = await operator(`limits --organization ${row?.slug}`, here)
    expect(shown.out).toMatch(/jobs_per_organization +10000 +5 +5/)
    expect(await operator('encryption rotate', here)).toMatchObject({ code: 0 })
    expect(existsSync(join(dataDir, 'postgres', 'cluster', 'data', 'postmaster.pid'))).toBe(false)
  } finally {
    await removeEmbeddedPostgres(join(dataDir, 'postgres'))
    rmSync(folder, { recursive: true, force: true })
  }
})
