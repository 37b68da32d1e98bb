import { LEASE_MS, type Renewal } from '@workly/services'
import { expect, test } from 'vitest'
import { DatabaseClock } from './clock.ts'
import { Lease } from './lease.ts'

/** A lease on clocks moved by hand: this process's own, and the database's, which runs on while the machine sleeps. */
function hands() {
  const times = { own: 1_000, database: Date.parse('2027-01-15T12:00:00Z') }
  let answer: () => Promise<Renewal> = async () => ({ alive: true, now: new Date(times.database) })
  const lease = new Lease(() => answer(), new DatabaseClock(() => times.own))
  return {
    lease,
    pass(ms: number) {
      times.own += ms
      times.database += ms
    },
    sleep(ms: number) {
      times.database += ms
    },
    answers(next: () => Promise<Renewal>) {
      answer = next
    },
    async renewFor(ms: number) {
      for (let passed = 0; passed < ms; passed += 5_000) {
        await lease.renew()
        times.own += 5_000
        times.database += 5_000
      }
      await lease.renew()
    },
    now: () => new Date(times.database),
  }
}

const isDone = (promise: Promise<void>) =>
  Promise.race([
    promise.then(() => true),
    new Promise<boolean>(resolve => setImmediate(() => resolve(false))),
  ])

test('nothing is taken before the first renewal, nor once the lease has run out, until the next', async () => {
  const { lease, pass } = hands()
  const first = lease.held()
  expect(await isDone(first)).toBe(false)
  await lease.renew()
  expect(await isDone(first)).toBe(true)
  pass(LEASE_MS - 1)
  expect(await isDone(lease.held())).toBe(true)
  pass(1)
  const second = lease.held()
  expect(await isDone(second)).toBe(false)
  await lease.renew()
  expect(await isDone(second)).toBe(true)
})

test('a lease is counted from before its renewal was asked for', async () => {
  const { lease, pass, answers, now } = hands()
  answers(async () => {
    pass(LEASE_MS)
    return { alive: true, now: now() }
  })
  await lease.renew()
  expect(await isDone(lease.held())).toBe(false)
})

test('one that is lost says so, and lets go of what waits, which the database then refuses', async () => {
  const { lease, answers, now } = hands()
  const waiting = lease.held()
  answers(async () => ({ alive: false, now: now() }))
  await lease.renew()
  await Promise.all([lease.lost, waiting])
})

test('a worker that stops lets go of what waits', async () => {
  const { lease } = hands()
  const waiting = lease.held()
  lease.letGo()
  await waiting
})

test('others are buried only after a whole lease of renewals', async () => {
  const { lease, renewFor } = hands()
  expect(lease.mayBury()).toBe(false)
  await renewFor(10_000)
  expect(lease.mayBury()).toBe(false)
  await renewFor(5_000)
  expect(lease.mayBury()).toBe(true)
})

test('a renewal that fails begins the wait anew', async () => {
  const { lease, renewFor, answers, now } = hands()
  await renewFor(20_000)
  answers(() => Promise.reject(new Error('away')))
  await expect(lease.renew()).rejects.toThrow('away')
  expect(lease.mayBury()).toBe(false)
  answers(async () => ({ alive: true, now: now() }))
  await renewFor(10_000)
  expect(lease.mayBury()).toBe(false)
  await renewFor(5_000)
  expect(lease.mayBury()).toBe(true)
})

test.each([
  ['stopped', (h: ReturnType<typeof hands>) => h.pass(LEASE_MS + 1)],
  [
    'asleep with its machine, whose own clock stood still',
    (h: ReturnType<typeof hands>) => h.sleep(LEASE_MS + 1),
  ],
])('a worker that was %s for longer than a lease buries nobody for another', async (_, gap) => {
  const h = hands()
  await h.renewFor(60_000)
  expect(h.lease.mayBury()).toBe(true)
  gap(h)
  await h.lease.renew()
  expect(h.lease.mayBury()).toBe(false)
})
