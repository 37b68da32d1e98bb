import { liveSigningSecrets, type Services } from '@workly/services'
import type { DatabaseClock } from './clock.ts'
import { MicroBatch } from './micro-batch.ts'

/** Projects asked for in one statement. */
const MOST_IN_A_BATCH = 1_000

/**
 * The secrets that sign calls, by project. A batch of begun attempts asks for its projects all at once: each of them on
 * its own would find nothing kept yet, and read the same again.
 */
export class SigningKeys {
  readonly #asked: MicroBatch<string, string[]>

  /** @param onUnreadable told of a secret whose encryption key is gone; it is left out */
  constructor(
    services: Services,
    clock: DatabaseClock,
    onUnreadable: (secretId: string, error: unknown) => void,
  ) {
    this.#asked = new MicroBatch(
      async projects => {
        const now = clock.now()
        const live = await liveSigningSecrets(
          services,
          services.sql,
          [...new Set(projects)],
          now,
          onUnreadable,
        )
        return projects.map(project => live.get(project) ?? [])
      },
      MOST_IN_A_BATCH,
      1,
    )
  }

  /** Newest first; empty where the project has none. */
  of(projectId: string): Promise<string[]> {
    return this.#asked.add(projectId)
  }
}
