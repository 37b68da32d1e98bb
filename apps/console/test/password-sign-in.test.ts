import { randomBytes } from 'node:crypto'
import { createSql } from '@workly/db'
import { createTestDatabase } from '@workly/db/testing'
import { createUser, LIMIT_DEFAULTS, readEncryptionKeys, type Services } from '@workly/services'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Gate } from '../src/features/session/gate.ts'
import { type SignInDesk, signInWithPassword } from '../src/features/session/password-sign-in.ts'
import { SignInThrottle } from '../src/features/session/sign-in-throttle.ts'

const EMAIL = 'ada@example.com'
const PASSWORD = 'correct horse battery'

let services: Services
let drop: () => Promise<void>
beforeAll(async () => {
  const database = await createTestDatabase()
  drop = () => database.drop()
  services = {
    sql: database.sql,
    prisma: {} as Services['prisma'],
    encryption: readEncryptionKeys(`k1:${randomBytes(32).toString('base64')}`),
    limits: LIMIT_DEFAULTS,
    allowHttp: false,
    allowedPrivate: [],
  }
  await createUser(services, { email: EMAIL, password: PASSWORD })
})
afterAll(() => drop())

function makeDesk(over: Partial<SignInDesk> = {}) {
  const log: unknown[] = []
  const note = (...entry: unknown[]) => void log.push(entry)
  const desk: SignInDesk = {
    services,
    throttle: new SignInThrottle(),
    gate: new Gate(2, 50),
    secret: 'a secret',
    log: { warn: note, error: note },
    ...over,
  }
  let kept: string | undefined
  const enter = (email: unknown, password: unknown, caller = '198.51.100.1', knownBrowser = kept) =>
    signInWithPassword(desk, { email, password, caller, knownBrowser, nowMs: 1 }, async text => {
      kept = text
    })
  return { desk, log, enter, kept: () => kept }
}

test('the right password signs in, a wrong one and an unknown address do not', async () => {
  const { enter } = makeDesk()
  expect(await enter(EMAIL, PASSWORD)).toMatchObject({ email: EMAIL, sessionEpoch: 0 })
  expect(await enter(EMAIL, 'wrong password')).toBeNull()
  expect(await enter('nobody@example.com', PASSWORD)).toBeNull()
})

test('what is no text signs nobody in', async () => {
  const { enter } = makeDesk()
  for (const odd of [undefined, null, 7, {}, ['ada@example.com'], { toString: () => EMAIL }]) {
    expect(await enter(odd, PASSWORD)).toBeNull()
    expect(await enter(EMAIL, odd)).toBeNull()
  }
})

test('a person whose account others have shut still gets in with the browser they signed in with before', async () => {
  const { desk, enter, kept, log } = makeDesk()
  await enter(EMAIL, PASSWORD)
  for (let n = 0; n < 100; n++) {
    desk.throttle.begin({ account: EMAIL, address: `198.51.100.${n}`, browser: null }, 1)
  }
  await expect(enter(EMAIL, PASSWORD, '203.0.113.9', '')).rejects.toThrow('TooManyTries')
  expect(JSON.stringify(log)).not.toContain(EMAIL)
  expect(await enter(EMAIL, PASSWORD, '203.0.113.9', kept())).not.toBeNull()
  // The mark is for that account and of that secret alone.
  for (const forged of [
    kept()?.replace(/^./, c => (c === 'A' ? 'B' : 'A')),
    `${'A'.repeat(22)}.${'A'.repeat(43)}`,
    'x',
  ]) {
    await expect(enter(EMAIL, PASSWORD, '203.0.113.9', forged)).rejects.toThrow('TooManyTries')
  }
  const other = makeDesk({ secret: 'another secret' })
  await other.enter(EMAIL, PASSWORD)
  await expect(enter(EMAIL, PASSWORD, '203.0.113.9', other.kept())).rejects.toThrow('TooManyTries')
})

test('what goes wrong inside is told in one word, and counts against nobody', async () => {
  const away = createSql('postgres://nobody:hidden-password@127.0.0.1:9/none', { max: 1, name: 'test' })
  const { desk, enter, log } = makeDesk({ services: { ...services, sql: away } })
  await expect(enter(EMAIL, PASSWORD)).rejects.toThrow(/^Unavailable$/)
  expect(desk.throttle.size).toBe(0)
  expect(JSON.stringify(log)).not.toContain('hidden-password')
  await away.end({ timeout: 1 })
  const full = makeDesk({ gate: new Gate(0, 0) })
  await expect(full.enter(EMAIL, PASSWORD)).rejects.toThrow(/^Busy$/)
  expect(full.desk.throttle.size).toBe(0)
})
