import { WorklyError } from '@workly/core'
import type { Services } from '@workly/services'
import type { ApiContext, ApiDeps } from '../api-env.ts'

/** A page without sign-in: a GET that is no operation. */
export interface Page {
  path: string
  answer(c: ApiContext): Response | Promise<Response>
}

/** How long the database may take to answer before `/readyz` says it does not, in milliseconds. */
const PATIENCE_MS = 2_000

/** `/healthz`: the process is up. `/readyz`: it reaches its database, and the tables are there. */
export function health({ services }: ApiDeps): Page[] {
  const isReady = readiness(services)
  return [
    {
      path: '/healthz',
      answer(c) {
        c.set('route', '/healthz')
        return c.json({ status: 'ok' })
      },
    },
    {
      path: '/readyz',
      async answer(c) {
        c.set('route', '/readyz')
        if (await isReady()) return c.json({ status: 'ready' })
        throw new WorklyError('unavailable', 'Workly cannot reach its database.')
      },
    },
  ]
}

/** After so long a probe that never came back no longer stands in the way of another, in milliseconds. */
const GIVEN_UP_MS = 10_000

/** Asks the database once however many ask at a time, so that probes of a dead one do not pile up in the pool. */
function readiness({ sql }: Services): () => Promise<boolean> {
  let asking: { answer: Promise<boolean>; sinceMs: number } | undefined
  const ask = () => {
    const probe = { answer: Promise.resolve(false), sinceMs: performance.now() }
    probe.answer = sql`select 1 from projects limit 1`
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        if (asking === probe) asking = undefined
      })
    return probe
  }
  return async () => {
    if (!asking || performance.now() - asking.sinceMs > GIVEN_UP_MS) asking = ask()
    const late = Promise.withResolvers<boolean>()
    const timer = setTimeout(() => late.resolve(false), PATIENCE_MS)
    try {
      return await Promise.race([asking.answer, late.promise])
    } finally {
      clearTimeout(timer)
    }
  }
}
