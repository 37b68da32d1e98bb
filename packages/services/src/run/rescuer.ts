import { readClock, type Services } from '../context.ts'
import { DatabaseReach } from '../worker/database-reach.ts'
import { type Rescue, rescueRuns } from './rescue-runs.ts'

/**
 * The rescuer of a process that is no worker: it has no lease of its own, and outlives workers that die before they have
 * lived for one. One per process, since it remembers for how long the database has been reached.
 */
export class Rescuer {
  readonly #services: Services
  readonly #reach = new DatabaseReach()

  constructor(services: Services) {
    this.#services = services
  }

  /** One sweep; to be called well within each lease, or nobody is ever buried. */
  async sweep(): Promise<Rescue> {
    try {
      this.#reach.reached(await readClock(this.#services, this.#services.sql))
      return await rescueRuns(this.#services, this.#reach.forWholeLease())
    } catch (error) {
      this.#reach.failed()
      throw error
    }
  }
}
