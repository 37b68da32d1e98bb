import { clearOldAudit } from '../audit/clear-old-audit.ts'
import { readClock, type Services } from '../context.ts'
import { clearDeletedJobs } from '../job/clear-deleted-jobs.ts'
import { clearUnusedSecrets, clearUnusedVersions } from '../job/clear-unused-versions.ts'
import { clearDeletedProjects } from '../project/clear-deleted-projects.ts'
import { BEFORE_ALL, type EndedPosition, pruneRuns } from '../run/prune-runs.ts'
import {
  clearContainerHandles,
  clearFailedTasks,
  clearIdempotencyKeys,
  clearSignInTokens,
  clearWorkers,
} from './clear-expired.ts'
import type { Retention } from './duration.ts'

/** Held while a round goes on, so that one worker does it at a time. Any number that no other lock has. */
const ADVISORY_LOCK = 7_337_002
/** How often everything is looked at from the beginning, and not only what has become old since. */
const FULL_PASS_EVERY_MS = 3_600_000

/** How far a process is, from one round to the next: what was kept is not looked at again every minute. */
export interface PruneProgress {
  runs: EndedPosition
  fullPassAt: Date | null
}

export function newPruneProgress(): PruneProgress {
  return { runs: BEFORE_ALL, fullPassAt: null }
}

/** What a round removed. */
export interface Pruned {
  runs: number
  /** Rows of all other kinds; those that hang on runs and jobs are not counted. */
  other: number
}

/**
 * One round of clearing away what is past its time: runs by the retention (spec section 5), the rows of deleted jobs
 * and projects, old idempotency keys and sign-in tokens; once an hour also old entries of the audit log, versions of requests and secrets that nothing refers to,
 * workers long gone, given-up tasks, and handles of containers that are gone. All in short transactions of some hundred
 * rows, so that nothing waits for it.
 * @param signal ends the round after the batch at hand
 * @returns null when another worker is at it
 */
export async function prune(
  services: Services,
  retention: Retention,
  progress: PruneProgress,
  signal?: AbortSignal,
): Promise<Pruned | null> {
  return services.sql.begin(async lock => {
    const [row] = await lock<{ mine: boolean }[]>`
      select pg_try_advisory_xact_lock(${ADVISORY_LOCK}::bigint) as mine`
    if (!row?.mine) return null
    const now = await readClock(services, lock)
    const pruned: Pruned = { runs: 0, other: 0 }
    for await (const [what, n] of sweeps(services, retention, progress, now)) {
      pruned[what] += n
      if (signal?.aborted) break
      // The lock lasts as long as its connection: this tells when it is gone, and that it is not idle.
      await lock`select 1`
    }
    return pruned
  })
}

type Step = [what: keyof Pruned, removed: number]

async function* sweeps(
  services: Services,
  retention: Retention,
  progress: PruneProgress,
  now: Date,
): AsyncGenerator<Step> {
  const full =
    progress.fullPassAt === null || now.getTime() - progress.fullPassAt.getTime() >= FULL_PASS_EVERY_MS
  if (full) {
    progress.fullPassAt = now
    progress.runs = BEFORE_ALL
  }
  yield ['other', await clearSignInTokens(services, now)]
  yield* as('other', clearIdempotencyKeys(services, now))
  yield* as('other', clearDeletedJobs(services))
  yield* as('other', clearDeletedProjects(services))
  yield* as('runs', pruneOn(services, new Date(now.getTime() - retention.runsMs), progress))
  if (!full) return
  yield* as('other', clearOldAudit(services, new Date(now.getTime() - retention.auditMs)))
  yield* as('other', clearUnusedVersions(services))
  yield* as('other', clearUnusedSecrets(services))
  yield ['other', await clearWorkers(services, now)]
  yield ['other', await clearFailedTasks(services)]
  yield ['other', await clearContainerHandles(services)]
}

async function* as(what: keyof Pruned, batches: AsyncGenerator<number>): AsyncGenerator<Step> {
  for await (const removed of batches) yield [what, removed]
}

/** Goes on from where the process was; the next round begins at the first batch that had to leave something. */
async function* pruneOn(services: Services, before: Date, progress: PruneProgress): AsyncGenerator<number> {
  let at = progress.runs
  let leftAt: EndedPosition | null = null
  for (;;) {
    const batch = await pruneRuns(services, before, at)
    if (batch.left > 0) leftAt ??= at
    at = batch.reached
    progress.runs = leftAt ?? at
    yield batch.removed
    if (!batch.more) return
  }
}
