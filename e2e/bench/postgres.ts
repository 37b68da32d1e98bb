import { chmodSync, existsSync, mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EmbeddedPostgres, removeEmbeddedPostgres, startEmbeddedPostgres } from '@workly/db/embedded'
import { atEnd } from './ending.ts'

/** A PostgreSQL server of the bench's own. */
export interface BenchPostgres {
  server: EmbeddedPostgres
  /** Stops it; its files are deleted unless they are to be kept. */
  end(): Promise<void>
}

/**
 * Starts PostgreSQL as the embedded default has it: it waits for its disk unless the settings say otherwise.
 *
 * @param kept a folder whose database stays; default one that is deleted at the end
 */
export async function startPostgres(
  settings: Readonly<Record<string, string>>,
  kept?: string,
): Promise<BenchPostgres> {
  const dataDir = kept ?? mkdtempSync(join(tmpdir(), 'workly-bench-'))
  mkdirSync(dataDir, { recursive: true })
  // For PostgreSQL's own user, where the bench is run by root.
  chmodSync(dataDir, 0o755)
  const starting = startEmbeddedPostgres({ dataDir, settings })
  const end = atEnd(async () => {
    const [started] = await Promise.allSettled([starting])
    if (kept === undefined) await removeEmbeddedPostgres(dataDir)
    else if (started.status === 'fulfilled' && existsSync(dataDir)) await started.value.stop()
  })
  try {
    return { server: await starting, end }
  } catch (error) {
    await end()
    throw error
  }
}
