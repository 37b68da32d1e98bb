import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../test/database.ts'
import { againAfterDeadlock } from './again-after-deadlock.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database?.drop())

test('of two transactions that lock the same rows in opposite orders both are done in the end', async () => {
  const { sql } = database
  await sql`create table circle (id int primary key, n int not null)`
  await sql`insert into circle values (1, 0), (2, 0)`
  let inTheMiddle = 0
  const met = Promise.withResolvers<void>()
  let tries = 0
  const add = (first: number, second: number) =>
    sql.begin(async tx => {
      tries++
      await tx`update circle set n = n + 1 where id = ${first}`
      if (++inTheMiddle === 2) met.resolve()
      await met.promise
      await tx`update circle set n = n + 1 where id = ${second}`
    })
  await Promise.all([add(1, 2), add(2, 1)])
  expect(tries).toBe(3)
  expect(await sql`select n from circle`).toEqual([{ n: 2 }, { n: 2 }])
})

const rolledBack = (code: string) => Object.assign(new Error('rolled back'), { code })

test.each(['40P01', '40001'])('what is rolled back with %s again and again is given up', async code => {
  let tries = 0
  const work = () => {
    tries++
    return Promise.reject(rolledBack(code))
  }
  await expect(againAfterDeadlock(work)).rejects.toThrow('rolled back')
  expect(tries).toBe(4)
})

test('no other error is tried again', async () => {
  let tries = 0
  const work = () => {
    tries++
    return Promise.reject(rolledBack('23505'))
  }
  await expect(againAfterDeadlock(work)).rejects.toThrow()
  expect(tries).toBe(1)
})
