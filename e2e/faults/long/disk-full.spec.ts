import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Fleet } from '../../harness/fleet/fleet.ts'
import { Load } from '../../harness/fleet/load.ts'
import { expect, test } from '../../harness/fleet/test.ts'
import { isAlive } from '../../harness/processes.ts'
import { until } from '../../harness/until.ts'

const MIB = 2 ** 20
/** What a PostgreSQL with little log takes, and some room. */
const DISK_MIB = 320

function mount(): string {
  const folder = mkdtempSync(join(tmpdir(), 'workly-small-disk-'))
  chmodSync(folder, 0o755)
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MIB}m,mode=0755`, 'tmpfs', folder], {
      stdio: 'pipe',
    })
  } catch (error) {
    rmdirSync(folder)
    throw new Error(
      `This test needs a small disk of its own, made by mount -t tmpfs: run it as root on Linux (in a container: docker run --privileged, or --cap-add SYS_ADMIN). ${String(error)}`,
    )
  }
  return folder
}

test('the disk under PostgreSQL is full, and then is not', async ({ fault }) => {
  test.setTimeout(300_000)
  const disk = mount()
  const dataDir = join(disk, 'postgres')
  mkdirSync(dataDir)
  let fleet: Fleet | undefined
  try {
    fleet = await Fleet.start({
      dataDir,
      postgres: { max_wal_size: '64MB', min_wal_size: '32MB', wal_recycle: 'off' },
    })
    const { postgres, sql } = fleet
    const load = await Load.start(fleet, { name: 'full' })
    const { bavail, bsize } = statfsSync(disk)
    fault.begins()
    writeFileSync(join(disk, 'filler'), Buffer.alloc(Math.max(0, bavail * bsize - MIB)))
    // What is left is filled by the load, and by this.
    await sql.unsafe('create table faults.filling (what text)')
    const failed = await until(
      'PostgreSQL has no room',
      () =>
        sql`insert into faults.filling select repeat(md5(n::text), 30) from generate_series(1, 2000) n`.then(
          () => '',
          String,
        ),
      error => error !== '',
      60_000,
    )
    expect(failed).toMatch(/No space left on device|terminat|CONNECTION/)
    // Full for a while: long enough for every worker to meet it.
    await new Promise(resolve => setTimeout(resolve, 10_000))
    rmSync(join(disk, 'filler'))
    // A PostgreSQL that could not even write its log has ended, and is started again as an operator would.
    if (!isAlive(postgres.pid)) {
      await postgres.startAgain()
      fault.note('PostgreSQL had ended')
    }
    fault.ends()
    await fleet.serves()
    await load.rounds(25)
    expect(fleet.workers.some(worker => worker.hasEnded)).toBe(false)
    fault.take(await load.check({ outageMs: fault.lastedMs + 15_000 }))
  } finally {
    await fleet?.remove()
    execFileSync('umount', [disk])
    rmdirSync(disk)
  }
})
