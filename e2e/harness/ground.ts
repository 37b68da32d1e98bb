import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Stack } from './stack.ts'

/** What an operator would give another process of the same installation: its database and its keys. */
export function groundOf(stack: Stack): { databaseUrl: string; encryptionKeys: string } {
  const cluster = join(stack.dataDir, 'postgres/cluster')
  const password = readFileSync(join(cluster, 'password'), 'utf8').trim()
  const port = readFileSync(join(cluster, 'port'), 'utf8').trim()
  const keys = readFileSync(join(stack.dataDir, 'keys'), 'utf8')
  return {
    databaseUrl: `postgres://postgres:${encodeURIComponent(password)}@127.0.0.1:${port}/workly`,
    encryptionKeys: /^WORKLY_ENCRYPTION_KEYS=(.*)$/m.exec(keys)?.[1] ?? '',
  }
}
