import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { selfSigned } from '@workly/delivery/testing'
import { Load } from '../../harness/fleet/load.ts'
import { PostgresProxy } from '../../harness/fleet/postgres-proxy.ts'
import { expect, test } from '../../harness/fleet/test.ts'

test('half-open connections of one worker to PostgreSQL', async ({ fleet, fault }) => {
  const proxy = await PostgresProxy.start(fleet.postgres.port)
  await fleet.workers[0]?.stop()
  fleet.workers[0] = await fleet.startWorker({ databaseUrl: proxy.url(fleet.postgres.url) })
  const worker = fleet.workers[0]
  const load = await Load.start(fleet, { name: 'half-open-one' })
  await load.target.more(1)
  fault.begins()
  expect(proxy.block()).toBeGreaterThan(0)
  await load.rounds(35)

  // It comes back by itself, by connections of another kind.
  expect(worker.hasEnded).toBe(false)
  fault.begins()
  await fleet.workers[1]?.kill()
  await load.rounds(3)
  await fleet.completeWorkers()
  const outcome = await load.check()
  fault.take(outcome)
  await fleet.workers[0]?.stop()
  await proxy.close()
  await fleet.completeWorkers()
})

for (const [how, secure] of [
  ['', false],
  [', under TLS', true],
] as const) {
  test(`half-open connections of every worker to PostgreSQL at once${how}`, async ({ fleet, fault }) => {
    const folder = mkdtempSync(join(tmpdir(), 'workly-tls-'))
    // postgres.js has an address checked as localhost.
    const certificate = selfSigned({ names: ['127.0.0.1', 'localhost'] })
    const trusted = join(folder, 'trusted.pem')
    writeFileSync(trusted, certificate.cert)
    const proxy = await PostgresProxy.start(fleet.postgres.port, secure ? certificate : undefined)
    await Promise.all(fleet.workers.map(worker => worker.stop()))
    for (const index of fleet.workers.keys())
      fleet.workers[index] = await fleet.startWorker({
        databaseUrl: proxy.url(fleet.postgres.url),
        env: { NODE_EXTRA_CA_CERTS: trusted },
      })
    const load = await Load.start(fleet, { name: secure ? 'half-open-tls' : 'half-open-all' })
    await load.target.more(1)
    fault.begins()
    proxy.block()
    await load.rounds(35)
    const outcome = await load.check({ outageMs: 30_000 })
    fault.take(outcome)
    expect(fault.measured.recovered_s).toBeLessThan(45)
    await Promise.all(fleet.workers.map(worker => worker.stop()))
    await proxy.close()
    rmSync(folder, { recursive: true })
    await fleet.completeWorkers()
  })
}
