import pg from 'pg'

/**
 * A connection that marks this process as a user of the embedded server, by a shared advisory lock.
 * The mark dies with the process however that ends, so nobody has to clean it up.
 */
export interface Hold {
  pid: number
  /** Lets go. True when no other process holds the server, which is then this one's to stop. */
  release(): Promise<boolean>
  /** Makes the database if it is missing. */
  ensureDatabase(name: string): Promise<void>
}

/** Any number that nothing else in the maintenance database uses. */
const LOCK = 7_337_001

/**
 * Takes hold of a running server.
 *
 * @param url the maintenance database, with the superuser
 * @param onLost called once when the server goes away while it is held
 * @returns undefined when the server is just being stopped by another process
 * @throws the connection's error
 */
export async function takeHold(url: string, onLost: () => void): Promise<Hold | undefined> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'workly embedded',
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  })
  let held = false
  client.on('error', () => {
    // `end` follows and says the same.
  })
  client.on('end', () => {
    if (held) onLost()
    held = false
  })
  await client.connect()
  const answer = await client.query<{ held: boolean; pid: number }>(
    "select pg_try_advisory_lock_shared($1) as held, split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int as pid",
    [LOCK],
  )
  const row = answer.rows[0]
  if (row === undefined || !row.held) {
    await client.end()
    return undefined
  }
  held = true

  return {
    pid: row.pid,
    async release() {
      if (!held) return true
      held = false
      try {
        // The exclusive lock goes to one only, and while it is held nobody new takes hold.
        await client.query('select pg_advisory_unlock_shared($1)', [LOCK])
        const got = await client.query<{ alone: boolean }>('select pg_try_advisory_lock($1) as alone', [LOCK])
        const alone = got.rows[0]?.alone === true
        if (!alone) await client.end()
        return alone
      } catch {
        // The server died in between; stopping it finds nothing to do.
        return true
      }
    },
    async ensureDatabase(name) {
      const found = await client.query('select 1 from pg_database where datname = $1', [name])
      if (found.rowCount !== 0) return
      try {
        await client.query(`create database ${client.escapeIdentifier(name)}`)
      } catch (error) {
        // 42P04, or a unique violation in the catalog: made by another start at the same moment.
        const code = error instanceof Error && 'code' in error ? error.code : undefined
        if (code !== '42P04' && code !== '23505') throw error
      }
    },
  }
}
