import { Broken, type StepHint } from './scene.ts'
import { isOpen, type JobRow, openRuns, type RunRow, type Snapshot } from './snapshot.ts'

const MINUTE_MS = 60_000

/** What may happen to runs in one step. */
export function checkTransitions(before: Snapshot, after: Snapshot, clock: number, hint: StepHint): void {
  for (const run of after.runs.values()) {
    const was = before.runs.get(run.id)
    if (was) checkTransition(was, run, hint)
  }
  for (const id of before.runs.keys()) if (!after.runs.has(id)) throw new Broken(`run ${id} is gone`)
  for (const job of before.jobs.values()) {
    const later = after.jobs.get(job.id)
    if (!later) throw new Broken(`job ${job.name} is gone`)
    checkClaimed(before, after, job, later, clock, hint)
    checkReleased(before, after, job, later)
    if (later.deleted_at === null) checkCounts(before, after, job, later, hint)
  }
}

function checkTransition(was: RunRow, run: RunRow, hint: StepHint): void {
  const move = `${was.state} to ${run.state}`
  if (was.scheduled_for !== run.scheduled_for || was.trigger !== run.trigger)
    throw new Broken('a run changed its time or its trigger')
  if (was.state === run.state) {
    if (!isOpen(run) && was.finished_at !== run.finished_at) throw new Broken('an ended run ended again')
    return
  }
  if (!isOpen(was)) {
    if (run.state === 'pending' && (hint.retried === run.id || hint.backfills)) return
    // Put back and begun in one step there is not.
    throw new Broken(`run ${run.id} went from ${move}`)
  }
  if (run.state === 'skipped') {
    const may = was.state === 'pending' && was.waits_for_turn && was.trigger === 'schedule' && !was.put_back
    // A job that becomes a queue lines up what has not begun.
    if ((!may && !hint.becomesQueue) || run.skip_reason !== 'overlap')
      throw new Broken(`run ${run.id} was skipped late`)
    return
  }
  if (was.state === 'pending' && (run.state === 'succeeded' || run.state === 'failed'))
    throw new Broken(`run ${run.id} ended as ${run.state} before it began`)
  if (run.state === 'cancelled' && hint.cancelled !== run.id && !hint.deletes)
    throw new Broken(`run ${run.id} was cancelled by nobody`)
}

/** The full minutes that cron `*​/k * * * *` has from `from` to `to`, both included. */
function minutes(cron: string, from: number, to: number): number[] {
  const step = Number(/^\*\/(\d+) /.exec(cron)?.[1]) * MINUTE_MS
  const times: number[] = []
  for (let t = Math.ceil(from / step) * step; t <= to; t += step) times.push(t)
  return times
}

/** Every time that came due got what the rules of missed and overlap say (spec section 5), written down once more. */
function checkClaimed(
  before: Snapshot,
  after: Snapshot,
  job: JobRow,
  later: JobRow,
  clock: number,
  hint: StepHint,
): void {
  const made = [...after.runs.values()].filter(
    run => run.job_id === job.id && run.trigger === 'schedule' && !before.runs.has(run.id),
  )
  const settled =
    job.next_run_at !== null && job.next_run_at <= clock && (later.next_run_at ?? clock + 1) > clock
  if (!settled || later.deleted_at !== null) {
    if (made.length > 0) throw new Broken(`${job.name} made scheduled runs though nothing was due`)
    return
  }
  const due = minutes(job.cron, job.next_run_at ?? clock, clock)
  const onTime = due.filter(t => clock - t <= MINUTE_MS)
  const missed = due.filter(t => clock - t > MINUTE_MS).at(-1)
  const expected = new Map<number, string>()
  const run = [...onTime]
  if (missed !== undefined) {
    if (onTime.length === 0 && job.missed === 'catch_up') run.push(missed)
    else expected.set(missed, 'skipped missed')
  }
  const open = openRuns(before, job.id)
  let busy = job.overlap === 'skip' ? open.filter(r => r.set_going_by !== 'backfill').length : open.length
  for (const [i, time] of run.entries()) {
    const blocked = busy > 0 && job.overlap !== 'allow'
    const waits = blocked && job.overlap === 'queue' && i === run.length - 1
    expected.set(time, blocked && !waits ? 'skipped overlap' : waits ? 'pending waits' : 'pending')
    if (!blocked) busy++
  }
  // What a worker claims it may begin at once, but nothing that has to wait.
  const word = (r: RunRow) =>
    r.state === 'running' && !r.waits_for_turn
      ? 'pending'
      : r.state === 'skipped'
        ? `skipped ${r.skip_reason}`
        : r.waits_for_turn
          ? `${r.state} waits`
          : r.state
  const got = new Map(made.map(r => [r.scheduled_for, word(r)]))
  // What was skipped may be put back by the same step's backfill, and what waits be let go by its edit.
  const shown = (what: string) => (hint.backfills ? '' : hint.edits ? what.split(' ')[0] : what)
  const told = (map: Map<number, string>) =>
    [...map]
      .sort(([a], [b]) => a - b)
      .map(([time, what]) => `${new Date(time).toISOString().slice(11, 16)} ${shown(what)}`)
  if (!hint.becomesQueue && told(got).join() !== told(expected).join())
    throw new Broken(
      `${job.name} (${job.overlap}, ${job.missed}) made ${told(got)} instead of ${told(expected)}`,
    )
  if (later.state === 'active' && (later.next_run_at ?? 0) <= clock)
    throw new Broken(`${job.name} is still due`)
}

/** Under `queue` the one that was made pending first goes first. */
function checkReleased(before: Snapshot, after: Snapshot, job: JobRow, later: JobRow): void {
  if (job.overlap !== 'queue' || later.overlap !== 'queue') return
  const waiting = openRuns(before, job.id).filter(run => run.waits_for_turn)
  const stillOpen = waiting.filter(run => isOpen(after.runs.get(run.id) ?? run))
  const order = stillOpen.sort(
    (a, b) => a.pending_at - b.pending_at || a.scheduled_for - b.scheduled_for || (a.id < b.id ? -1 : 1),
  )
  const released = order.filter(run => after.runs.get(run.id)?.waits_for_turn === false)
  if (released.length > 1) throw new Broken(`${released.length} runs of ${job.name} got their turn at once`)
  if (released[0] && released[0].id !== order[0]?.id) throw new Broken(`${job.name} let a later run go first`)
}

/** The job's counters are what its runs became. */
function checkCounts(before: Snapshot, after: Snapshot, job: JobRow, later: JobRow, hint: StepHint): void {
  for (const state of ['succeeded', 'failed', 'cancelled', 'skipped'] as const) {
    const became = [...after.runs.values()].filter(
      run => run.job_id === job.id && run.state === state && before.runs.get(run.id)?.state !== state,
    ).length
    const counted = later[`runs_${state}`] - job[`runs_${state}`]
    // What is skipped may be put back by the same step's backfill.
    if (hint.backfills ? counted < became : counted !== became)
      throw new Broken(`${job.name} counted ${counted} runs as ${state}, and ${became} were`)
  }
}
