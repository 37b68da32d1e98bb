import { deadlineExceeded, failed, SUCCEEDED, type Verdict } from '../image-outcome.ts'
import { judgePod } from './judge-pod.ts'
import { conditionOf, type Job, type Pod } from './objects.ts'

/** What a cluster shows of one attempt at a moment. */
export interface Sight {
  job: Job
  pods: readonly Pod[]
}

export interface JudgeTimes {
  /** How long a pull may fail before it counts, in milliseconds. */
  complaintMs: number
  /** How long a deletion may go unexplained, and a pod may lag behind its Job, in milliseconds. */
  settleMs: number
}

export const JUDGE_TIMES: JudgeTimes = { complaintMs: 20_000, settleMs: 5000 }

export type Judgement = { done: Verdict } | { lookAgainMs: number | null }

const GOING: Judgement = { lookAgainMs: null }

export const DELETED = failed('evicted', 'The Kubernetes Job was deleted by someone else.')
const POD_DELETED = failed('evicted', 'The pod was deleted by someone else.')

/**
 * Makes up its mind on one attempt from what the cluster shows of it over time. Conditions are taken as soon as they are
 * announced (`SuccessCriteriaMet`, `FailureTarget`), which may be well before `Complete` and `Failed`.
 */
export class Judge {
  readonly #times: JudgeTimes
  /** When something that has to last was first seen, in milliseconds of a monotonic clock. */
  readonly #since = new Map<string, number>()
  #hint: string | null = 'its pod was never made'
  #complaint: Verdict | null = null

  constructor(times: JudgeTimes) {
    this.#times = times
  }

  /** @param nowMs of a monotonic clock */
  look({ job, pods }: Sight, nowMs: number): Judgement {
    const byPods = this.#pods(pods, nowMs)
    if ('done' in byPods) return byPods
    const byJob = this.#job(job, pods, nowMs)
    return 'done' in byJob ? byJob : { lookAgainMs: sooner(byPods.lookAgainMs, byJob.lookAgainMs) }
  }

  #lasts(what: string, verdict: Verdict, limitMs: number, nowMs: number): Judgement {
    const since = this.#since.get(what) ?? nowMs
    this.#since.set(what, since)
    const leftMs = since + limitMs - nowMs
    return leftMs <= 0 ? { done: verdict } : { lookAgainMs: leftMs }
  }

  #pods(pods: readonly Pod[], nowMs: number): Judgement {
    let judgement = GOING
    for (const pod of pods) {
      const finding = judgePod(pod)
      if ('verdict' in finding) return { done: this.#inFull(finding.verdict) }
      if ('complaint' in finding) {
        this.#complaint = finding.complaint
        this.#hint = finding.complaint.message
        judgement = this.#lasts('complaint', finding.complaint, this.#times.complaintMs, nowMs)
      } else {
        this.#since.delete('complaint')
        this.#hint = finding.hint
      }
    }
    return judgement
  }

  /** Some kubelets say only "Back-off pulling image": what was said before it tells more. */
  #inFull(verdict: Verdict): Verdict {
    const earlier = this.#complaint
    if (earlier?.class !== 'image_pull' || verdict.class !== 'image_pull') return verdict
    return (earlier.message ?? '').length > (verdict.message ?? '').length ? earlier : verdict
  }

  #job(job: Job, pods: readonly Pod[], nowMs: number): Judgement {
    const conditions = job.status?.conditions
    if (conditionOf(conditions, 'SuccessCriteriaMet', 'Complete') !== undefined) return { done: SUCCEEDED }
    const failure = conditionOf(conditions, 'FailureTarget', 'Failed')
    if (failure?.reason === 'DeadlineExceeded') {
      return { done: deadlineExceeded(job.spec?.activeDeadlineSeconds ?? null, this.#hint) }
    }
    if (job.metadata?.deletionTimestamp !== undefined) return { done: DELETED }
    const deleted = pods.some(pod => pod.metadata?.deletionTimestamp !== undefined)
    if (failure !== undefined) {
      if (deleted) return { done: POD_DELETED }
      // The pod that failed it may still be on its way to us.
      const verdict =
        pods.length === 0 ? POD_DELETED : failed('evicted', `The pod failed: ${failure.message}`)
      return this.#lasts('failure', verdict, this.#times.settleMs, nowMs)
    }
    // At a deadline the pods go first, and the Job says why a moment later.
    return deleted ? this.#lasts('deletion', POD_DELETED, this.#times.settleMs, nowMs) : GOING
  }
}

function sooner(one: number | null, other: number | null): number | null {
  return one === null ? other : other === null ? one : Math.min(one, other)
}
