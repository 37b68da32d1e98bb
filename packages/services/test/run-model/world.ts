import { freshId, type ProjectContext } from '../../src/context.ts'
import { putJob } from '../../src/job/put-job.ts'
import type { Desk } from '../job-desk.ts'
import { PretendWorker } from '../pretend-worker.ts'
import { checkState } from './invariants.ts'
import type { Call, ModelContainer, ModelWorker, Scene, StepHint } from './scene.ts'
import { type Snapshot, takeSnapshot, waitsForContainer } from './snapshot.ts'
import { checkTransitions } from './transitions.ts'

/** Everything that a run of the model acts upon. */
export class World implements Scene {
  readonly desk: Desk
  readonly ctx: ProjectContext
  bounds = { total: 3, perHost: 2 }
  workers: ModelWorker[] = []
  /** Dead, but their last calls may still be answered. */
  readonly dead: ModelWorker[] = []
  readonly calls = new Map<string, Call>()
  containers: ModelContainer[] = []
  /** By job: runs that had begun when it became a queue. */
  readonly begunBeforeQueue = new Map<string, Set<string>>()
  last: Snapshot
  lastSweep: number
  lostTasks = false
  readonly #trace: string[] = []
  /** How often each thing that may become of runs and attempts was seen. */
  readonly seen = new Map<string, number>()

  private constructor(desk: Desk, ctx: ProjectContext, last: Snapshot) {
    this.desk = desk
    this.ctx = ctx
    this.last = last
    this.lastSweep = desk.now().getTime()
  }

  /** A world in a project of its own. */
  static async create(desk: Desk): Promise<World> {
    await desk.clear()
    desk.at('2027-01-15T12:00:00Z')
    const projectId = freshId('project', desk.now())
    await desk.sql`
      insert into projects (id, organization_id, slug, name) values (${projectId}, ${desk.ctx.organizationId},
        ${projectId.replaceAll('_', '-')}, 'Model')`
    const ctx = { ...desk.ctx, projectId }
    const world = new World(desk, ctx, await takeSnapshot(desk.sql, projectId))
    await world.setBounds(3, 2)
    world.workers = [await world.newWorker(), await world.newWorker()]
    const steps = [
      { id: 'load', url: 'https://b.example/' },
      { id: 'train', url: 'https://a.example/' },
    ]
    const jobs = [
      ['one', 'skip', { url: 'https://a.example/' }],
      ['two', 'queue', { url: 'https://b.example/', response: { callback: { max_wait_seconds: 30 } } }],
      ['three', 'allow', { steps }],
    ] as const
    for (const [name, overlap, target] of jobs)
      await world.step(`create ${name}`, {}, () =>
        putJob(ctx, name, { cron: '*/1 * * * *', overlap, ...target }),
      )
    return world
  }

  get clock(): number {
    return this.desk.now().getTime()
  }

  swept(): void {
    this.lastSweep = this.clock
    this.lostTasks = false
  }

  async newWorker(): Promise<ModelWorker> {
    return { hands: await PretendWorker.start(this.desk.services), tasks: [], calling: [] }
  }

  async setBounds(total: number, perHost: number): Promise<void> {
    this.bounds = { total, perHost }
    const limits = { project_calls_in_flight: total, host_calls_in_flight: perHost }
    await this.desk
      .sql`update projects set limits = ${this.desk.sql.json(limits)} where id = ${this.ctx.projectId}`
  }

  /** Does something, and checks that everything still holds. */
  async step(what: string, hint: StepHint, act: () => Promise<unknown>): Promise<Snapshot> {
    this.#trace.push(`${this.desk.now().toISOString().slice(11, 23)} ${what}`)
    try {
      await act()
      const now = await takeSnapshot(this.desk.sql, this.ctx.projectId)
      if (hint.becomesQueue) this.#noteQueues(now)
      checkTransitions(this.last, now, this.clock, hint)
      checkState(this, now)
      this.#note(now)
      this.last = now
      return now
    } catch (error) {
      if (!(error instanceof Error)) throw error
      error.message = `${error.message}\n${this.#trace.map(line => `  ${line}`).join('\n')}`
      throw error
    }
  }

  #note(now: Snapshot): void {
    const add = (what: string) => this.seen.set(what, (this.seen.get(what) ?? 0) + 1)
    for (const run of now.runs.values()) {
      const was = this.last.runs.get(run.id)
      if (was?.state !== run.state)
        add(`${was?.state ?? run.trigger} to ${run.state}${run.skip_reason ? ` ${run.skip_reason}` : ''}`)
      if (run.waits_for_turn && !was?.waits_for_turn) add('waits for its turn')
      if (
        run.task_number > (was?.task_number ?? 0) + 1 ||
        (was?.slot_host && run.task_number > was.task_number)
      )
        add('new task')
      if (!run.waits_for_turn && !run.slot_host && run.due_at && run.due_at <= this.clock)
        add('waits for a slot')
    }
    for (const [runId, steps] of now.steps) {
      const before = this.last.steps.get(runId)
      for (const step of steps) {
        const was = before?.[step.position]?.state
        if (was !== undefined && was !== step.state) add(`step ${was} to ${step.state}`)
      }
    }
    for (const attempt of now.attempts.values()) {
      const was = this.last.attempts.get(attempt.id)
      if (was?.state !== attempt.state) add(`attempt ${attempt.state}`)
      if (attempt.late_result && !was?.late_result) add('late result')
    }
    for (const handle of now.handles.values()) {
      const was = this.last.handles.get(handle.id)
      if (!was) add('container begun')
      else if (was.worker_id !== handle.worker_id) add('container adopted')
      if (handle.removing_since !== null && was?.removing_since === null) add('container to be removed')
      if (handle.gone_at !== null && was?.gone_at === null) add('container gone')
    }
    for (const run of now.runs.values())
      if (run.due_at !== null && run.due_at <= this.clock && waitsForContainer(now, run))
        add('waits for its container')
  }

  #noteQueues(now: Snapshot): void {
    for (const job of now.jobs.values()) {
      if (job.overlap !== 'queue' || this.last.jobs.get(job.id)?.overlap === 'queue') continue
      const begun = [...now.runs.values()].filter(run => run.job_id === job.id && run.state === 'running')
      this.begunBeforeQueue.set(job.id, new Set(begun.map(run => run.id)))
    }
  }

  /** The job of that name that is not deleted. */
  liveJob(name: string) {
    return [...this.last.jobs.values()].find(job => job.name === name && job.deleted_at === null)
  }

  /** Runs of jobs that are not deleted. */
  reachableRuns() {
    return [...this.last.runs.values()]
      .filter(run => this.last.jobs.get(run.job_id)?.deleted_at === null)
      .sort((a, b) => (a.id < b.id ? -1 : 1))
  }
}
