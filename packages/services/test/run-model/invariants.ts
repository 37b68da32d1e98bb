import { Broken, type Call, type Scene, waitsForCallback } from './scene.ts'
import {
  inFlight,
  isOpen,
  liveHandles,
  openRuns,
  type RunRow,
  type Snapshot,
  waitsForContainer,
} from './snapshot.ts'
import { checkSteps, currentStep } from './steps.ts'

/** After how long without a task an admitted run is seen to (spec section 5). */
const TASK_MISSING_AFTER_MS = 10_000

/** What must hold of the database whenever no transaction is open. */
export function checkState(scene: Scene, now: Snapshot): void {
  checkSlots(scene, now)
  checkAttempts(scene, now)
  checkSteps(now)
  checkContainers(now)
  for (const run of now.runs.values()) if (isOpen(run)) checkWayForward(scene, now, run)
  for (const job of now.jobs.values()) checkTurns(scene, now, job.id)
  const times = new Set([...now.runs.values()].map(run => `${run.job_id} ${run.scheduled_for}`))
  if (times.size !== now.runs.size) throw new Broken('a time of a job has two runs')
}

/** Calls in flight stay within the bounds; after a bound was lowered they only become fewer. */
function checkSlots(scene: Scene, now: Snapshot): void {
  const held = inFlight(now)
  const before = (host?: string) =>
    inFlight(scene.last).filter(other => host === undefined || other === host).length
  if (held.length > Math.max(scene.bounds.total, before())) throw new Broken(`${held.length} calls in flight`)
  for (const host of new Set(held)) {
    const n = held.filter(other => other === host).length
    if (n > Math.max(scene.bounds.perHost, before(host))) throw new Broken(`${n} calls in flight to ${host}`)
  }
}

/** What the attempt of a call may be, by what was heard of it. */
function mayBe(call: Call): string[] {
  if (call.reported === 'ok') return ['succeeded']
  if (call.reported === 'failure') return ['failed']
  if (call.outcome === 'refused') return ['lost', 'cancelled']
  if (call.outcome === null)
    return call.request.kind === 'image' ? ['waiting', 'cancelled'] : ['running', 'lost', 'cancelled']
  if (call.outcome === 'accepted failure') return ['failed']
  return waitsForCallback(call) ? ['waiting', 'cancelled'] : ['succeeded']
}

/** The attempts are those that the pretend target was called for, and stand as their calls ended. */
function checkAttempts(scene: Scene, now: Snapshot): void {
  for (const call of scene.calls.values()) {
    const attempt = now.attempts.get(call.attempt_id)
    if (!attempt) throw new Broken(`the call of attempt ${call.attempt_id} has no attempt`)
    if (attempt.number !== call.number) throw new Broken('an attempt changed its number')
    const may = mayBe(call)
    if (!may.includes(attempt.state))
      throw new Broken(
        `a call that was ${call.reported ?? call.outcome} has an attempt that is ${attempt.state}`,
      )
    if (call.outcome === 'refused' && call.reported === null && attempt.late_result === null)
      throw new Broken('a refused result was not kept')
  }
  if (now.attempts.size !== scene.calls.size) throw new Broken('an attempt has no call')
  for (const run of now.runs.values()) {
    const step = currentStep(now, run)?.step_id ?? ''
    const numbers = [...now.attempts.values()]
      .filter(a => a.run_id === run.id && a.step_id === step)
      .map(a => a.number)
    if (numbers.length !== run.attempts_made || numbers.some(n => n < 1 || n > run.attempts_made))
      throw new Broken(`run ${run.id} has attempts ${numbers} of ${run.attempts_made}`)
    const open = [...now.attempts.values()].filter(
      a => a.run_id === run.id && (a.state === 'running' || a.state === 'waiting'),
    )
    if (open.map(a => a.id).join() !== (run.current_attempt_id ?? ''))
      throw new Broken('an attempt is open beside its run')
  }
}

/** Whatever is open goes on by something: an attempt, a task, a time, a slot to come, or a run ahead of it. */
function checkWayForward(scene: Scene, now: Snapshot, run: RunRow): void {
  const broken = (what: string) => new Broken(`run ${run.id} (${run.state}) ${what}`)
  if (now.jobs.get(run.job_id)?.deleted_at !== null) throw broken('is open though its job is deleted')
  if (run.lost_in_a_row > 2) throw broken('was lost three times in a row')
  if (run.waits_for_turn) {
    if (run.slot_host !== null || run.state !== 'pending') throw broken('waits for its turn and has its slot')
    if (!someoneAhead(now, run)) throw broken('waits for its turn behind nobody')
    return
  }
  const attempt = now.attempts.get(run.current_attempt_id ?? '')
  // No worker holds a wait for a callback, and it takes no slot; its end is known.
  if (attempt?.state === 'waiting') {
    if (run.slot_host !== null) throw broken('waits for a callback with a slot')
    checkWait(scene, now, run, attempt.id)
    return
  }
  if (attempt) {
    if (run.slot_host === null) throw broken('calls without a slot')
    const worker = now.workers.get(attempt.worker_id)
    if (!worker || worker.stopped_at !== null || worker.lost_at !== null)
      throw broken('has an open attempt of a worker that is gone')
    return
  }
  if (run.slot_host !== null) {
    // The last sweep has seen to it, unless its task was lost after that.
    const seenTo = (run.admitted_at ?? 0) < scene.lastSweep - TASK_MISSING_AFTER_MS && !scene.lostTasks
    if (seenTo && !hasTask(now, run)) throw broken('has no task')
    return
  }
  if (run.due_at === null) throw broken('has no slot, no time and no turn')
}

/** A wait has an end that is known, or a container that is there to end it. */
function checkWait(scene: Scene, now: Snapshot, run: RunRow, attemptId: string): void {
  const broken = (what: string) => new Broken(`run ${run.id} waits ${what}`)
  const call = scene.calls.get(attemptId)
  const handle = [...now.handles.values()].find(other => other.attempt_id === attemptId)
  if (call?.request.kind !== 'image') {
    if (run.next_attempt_at === null) throw broken('for a callback without an end')
    return
  }
  if (!handle) throw broken('for a container that never was')
  const isThere = handle.gone_at === null && handle.removing_since === null
  if (!isThere && (!waitsForCallback(call) || call.outcome !== 'accepted ok'))
    throw broken('for a container that is to be removed')
  if (waitsForCallback(call) && handle.started_at !== null && run.next_attempt_at === null)
    throw broken('for a report without an end')
}

/** Of one step of a run at most one container is there at a time. */
function checkContainers(now: Snapshot): void {
  const places = liveHandles(now).map(handle => `${handle.run_id} ${handle.step}`)
  if (new Set(places).size !== places.length) throw new Broken('a step has two containers at once')
  for (const handle of liveHandles(now)) {
    const open = now.runs.get(handle.run_id)?.current_attempt_id === handle.attempt_id
    const state = now.attempts.get(handle.attempt_id)?.state
    if (open !== (state === 'waiting')) throw new Broken(`a container has an attempt that is ${state}`)
    if (state === 'cancelled' && handle.removing_since === null)
      throw new Broken('a container goes on though its attempt is cancelled')
  }
}

function someoneAhead(now: Snapshot, run: RunRow): boolean {
  const ahead = openRuns(now, run.job_id).filter(other => other.id !== run.id && !other.waits_for_turn)
  if (now.jobs.get(run.job_id)?.overlap === 'queue') return ahead.length > 0
  return run.set_going_by === 'backfill' && ahead.some(other => other.set_going_by === 'backfill')
}

function hasTask(now: Snapshot, run: RunRow): boolean {
  const pools = new Set(
    [...now.workers.values()].filter(w => w.stopped_at === null && w.lost_at === null).map(w => w.pool_id),
  )
  return now.tasks.some(
    t =>
      t.run_id === run.id &&
      t.number === run.task_number &&
      (t.locked_by === null ? t.usable : pools.has(t.locked_by)),
  )
}

/** How many runs of a job may be under way, and how many may wait. */
function checkTurns(scene: Scene, now: Snapshot, jobId: string): void {
  const job = now.jobs.get(jobId)
  const going = openRuns(now, jobId).filter(run => !run.waits_for_turn)
  if (going.filter(run => run.set_going_by === 'backfill').length > 1)
    throw new Broken(`two backfilled runs of ${job?.name} are under way`)
  if (job?.overlap !== 'queue') return
  // What had begun when the job became a queue goes on to its end.
  const older = going.filter(run => scene.begunBeforeQueue.get(jobId)?.has(run.id))
  const newer = going.length - older.length
  if (newer > (older.length > 0 ? 0 : 1))
    throw new Broken(`${going.length} runs of the queue ${job.name} are under way`)
  const scheduled = openRuns(now, jobId).filter(
    r => r.waits_for_turn && r.trigger === 'schedule' && !r.put_back,
  )
  if (scheduled.length > 1)
    throw new Broken(`${scheduled.length} scheduled runs of the queue ${job.name} wait`)
}

/** What a sweep leaves behind: nothing that could go on and does not. */
export function checkSwept(scene: Scene, now: Snapshot, mayBury: boolean): void {
  const held = inFlight(now)
  for (const run of now.runs.values()) {
    if (!isOpen(run) || run.waits_for_turn) continue
    if (run.slot_host === null && run.due_at !== null && run.due_at <= scene.clock) {
      const full =
        held.length >= scene.bounds.total ||
        held.filter(host => host === run.host).length >= scene.bounds.perHost
      if (!full && !waitsForContainer(now, run))
        throw new Broken(`run ${run.id} is due, fits, and was left waiting`)
    }
    if (run.slot_host !== null && run.current_attempt_id === null && !hasTask(now, run)) {
      if (scene.clock - (run.admitted_at ?? 0) > TASK_MISSING_AFTER_MS)
        throw new Broken(`run ${run.id} has no task after a sweep`)
    }
    const attempt = now.attempts.get(run.current_attempt_id ?? '')
    const worker = attempt?.state === 'running' ? now.workers.get(attempt.worker_id) : undefined
    if (mayBury && worker && worker.lease_expires_at < scene.clock)
      throw new Broken(`run ${run.id} is held by a worker whose lease has run out`)
  }
}
