import { expireWaits } from '../../src/callback/expire-waits.ts'
import { recordCallback } from '../../src/callback/record-callback.ts'
import { ignore, pick } from './command.ts'
import { checkEnded } from './ended-call.ts'
import { Broken, type Call, mayReport, waitsForCallback } from './scene.ts'
import type { Snapshot } from './snapshot.ts'
import type { World } from './world.ts'

/** How long calls wait for their callbacks here. */
export const MAX_WAIT_MS = 30_000

/** Whether the call's attempt is its run's present one, and under way: its result is wanted. */
export function isHeld(now: Snapshot, call: Call): boolean {
  return (
    now.runs.get(call.run_id)?.current_attempt_id === call.attempt_id &&
    now.attempts.get(call.attempt_id)?.state === 'running'
  )
}

/** Someone reports, for a call that is under way, that waits, or that is long over. */
export async function reportCall(world: World, n: number, result: string): Promise<void> {
  const call = pick([...world.calls.values()].filter(mayReport), n)
  if (!call) return
  const before = world.last
  const run = before.runs.get(call.run_id)
  const isOpen = run?.current_attempt_id === call.attempt_id && waitsForCallback(call)
  const isOk = !['ERROR', 'timeout'].includes(result)
  const now = await world.step(`callback of ${call.attempt_id} says ${result}`, {}, async () => {
    await recordCallback(world.desk.services, call.attempt_id, { ctx: world.ctx }, { result }).catch(
      ignore('not_found'),
    )
    if (isOpen) call.reported = isOk ? 'ok' : 'failure'
  })
  if (isOpen) checkEnded(world, before, now, call, { isOk, isRetried: true })
  else if (now.runs.get(call.run_id)?.state !== run?.state) throw new Broken('a late callback moved its run')
}

/** Waits that have run out fail their runs, and no others. */
export async function endWaits(world: World): Promise<void> {
  const due = [...world.calls.values()].filter(call => {
    const run = world.last.runs.get(call.run_id)
    const waits = world.last.attempts.get(call.attempt_id)?.state === 'waiting'
    return (
      waits &&
      run?.current_attempt_id === call.attempt_id &&
      (run.next_attempt_at ?? Number.POSITIVE_INFINITY) <= world.clock
    )
  })
  const now = await world.step('waits run out', {}, async () => {
    const ended = await expireWaits(world.desk.services, 1000)
    if (ended !== due.length) throw new Broken(`${ended} waits ran out instead of ${due.length}`)
    for (const call of due) call.reported = 'failure'
  })
  for (const call of due)
    if (now.runs.get(call.run_id)?.state !== 'failed') throw new Broken('a wait ran out and its run goes on')
}
