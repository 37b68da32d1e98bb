import { Rescuer, type Services } from '@workly/services'
import type { Logger } from 'pino'

/** As often as workers do. */
const SWEEP_EVERY_MS = 3_000

/** Sweeps for what dead workers left until it is stopped. */
export interface Rescuing {
  stop(): Promise<void>
}

/**
 * Rescues from a process of the API too: workers that are killed again and again, each before it has lived for a whole
 * lease, bury nobody, and their runs would wait.
 */
export function startRescuing(services: Services, log: Logger, everyMs = SWEEP_EVERY_MS): Rescuing {
  const rescuer = new Rescuer(services)
  let stopped = false
  let current: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout
  const sweep = async () => {
    const rescue = await rescuer.sweep()
    if (rescue.deadWorkers.length > 0 || rescue.newTasks > 0) log.warn(rescue, 'rescued')
  }
  const next = () => {
    if (stopped) return
    timer = setTimeout(() => {
      current = sweep().then(next, error => {
        log.error({ err: error }, 'rescuing failed; it is tried again')
        next()
      })
    }, everyMs)
  }
  next()
  return {
    async stop() {
      stopped = true
      clearTimeout(timer)
      await current
    },
  }
}
