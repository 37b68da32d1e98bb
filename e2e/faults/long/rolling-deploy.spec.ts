import { Load } from '../../harness/fleet/load.ts'
import { expect, test } from '../../harness/fleet/test.ts'

/** What a later release may bring: columns, an index, a table, a wider check. Old code knows none of it. */
const LATER = [
  `alter table runs add column faults_note text`,
  `alter table attempts add column faults_number int not null default 0`,
  `alter table jobs add column faults_flag boolean not null default false`,
  `create index concurrently faults_runs on runs (project_id, created_at)`,
  `create table faults_later (id bigserial primary key, run_id text)`,
]

test('a rolling deploy: a migration under load, then every process is replaced in turn', async ({
  fleet,
  fault,
}) => {
  test.setTimeout(240_000)
  const load = await Load.start(fleet, { name: 'deploy' })
  fault.begins()
  for (const statement of LATER) {
    // As the migrations do it: whoever waits for a lock of a table must not make all others wait behind it.
    await fleet.sql
      .begin(tx => tx.unsafe(`set local lock_timeout = '5s'; ${statement}`))
      .catch(async error => {
        if (!statement.includes('concurrently')) throw error
        await fleet.sql.unsafe(statement)
      })
    await load.rounds(1)
  }
  for (const [index, worker] of fleet.workers.entries()) {
    expect(await worker.stop()).toBe(0)
    fleet.workers[index] = await fleet.startWorker()
    await load.rounds(2)
  }
  for (const [index, api] of fleet.apis.entries()) {
    expect(await api.stop()).toBe(0)
    fleet.apis[index] = await fleet.startApi(fleet.apiPorts[index] ?? 0)
    await load.rounds(2)
  }
  fault.ends()
  await load.rounds(3)
  fault.take(await load.check())
  expect(fault.measured.recovered_s).toBeLessThan(60)
})
