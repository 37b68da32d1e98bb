import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createPrisma, createSql } from '@workly/db'
import { startEmbeddedPostgres } from '@workly/db/embedded'
import { type EncryptionKeys, readEncryptionKeys, type Services } from '@workly/services'
import type { OperatorEnvironment } from './env.ts'
import { Said } from './said.ts'

/** What a command stands on, and how to let go of it. */
export interface Composition {
  services: Services
  end(): Promise<void>
}

/**
 * Opens the services on `DATABASE_URL`, or on the database of the embedded default, whose server is used while it runs
 * and started for the command while it does not.
 * @throws Said when there is no database, or no encryption keys
 */
export async function compose(env: OperatorEnvironment): Promise<Composition> {
  const database = env.databaseUrl === undefined ? await openEmbedded(env.dataDir) : given(env.databaseUrl)
  const sql = createSql(database.url, { max: 4, name: 'workly operator' })
  const prisma = createPrisma(database.url, { max: 1, name: 'workly operator' })
  const end = async () => {
    await Promise.all([sql.end({ timeout: 5 }), prisma.$disconnect()])
    await database.stop()
  }
  try {
    const encryption = await readKeys(env)
    return {
      services: { sql, prisma, encryption, limits: env.limits, allowHttp: false, allowedPrivate: [] },
      end,
    }
  } catch (error) {
    await end()
    throw error
  }
}

const given = (url: string) => ({ url, stop: async () => undefined })

async function openEmbedded(dataDir: string): Promise<{ url: string; stop(): Promise<unknown> }> {
  // Written at the first start, before the database.
  if (!existsSync(join(dataDir, 'keys'))) {
    throw new Said(
      `There is no Workly in ${dataDir}. Start it once with npm start, or set DATABASE_URL (or WORKLY_DATA_DIR) to the one that is meant.`,
    )
  }
  const postgres = await startEmbeddedPostgres({
    dataDir: join(dataDir, 'postgres'),
    logFile: join(dataDir, 'postgres.log'),
  })
  return { url: postgres.url, stop: () => postgres.stop() }
}

/** Keys are read when they are there; a command that needs some says so when it comes to use one. */
async function readKeys(env: OperatorEnvironment): Promise<EncryptionKeys> {
  const keys = env.encryptionKeys ?? (env.databaseUrl === undefined ? await keptKeys(env.dataDir) : undefined)
  if (keys !== undefined) return readEncryptionKeys(keys)
  const missing = (): never => {
    throw new Said(
      'WORKLY_ENCRYPTION_KEYS is not set; give it as the other processes have it, the newest key first.',
    )
  }
  return {
    get newest() {
      return missing()
    },
    get ids() {
      return missing()
    },
    encrypt: missing,
    decrypt: missing,
    mac: missing,
  }
}

/** The embedded default's keys, as its start keeps them: `NAME=value` lines. */
async function keptKeys(dataDir: string): Promise<string | undefined> {
  const text = await readFile(join(dataDir, 'keys'), 'utf8')
  return /^WORKLY_ENCRYPTION_KEYS=(.+)$/m.exec(text)?.[1]?.trim()
}
