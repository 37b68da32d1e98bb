import { EventEmitter } from 'node:events'
import type { Duplex } from 'node:stream'
import { run, type TaskList, Logger as TaskLogger, type WorkerEvents } from 'graphile-worker'
import pg from 'pg'
import type { Logger } from 'pino'

/** Tasks fetched ahead of their start, so that a busy worker asks once for many; at least one for each that may run. */
const FETCHED_AHEAD = 500
/** What was fetched ahead and is not begun after this is given back, for workers that have room. */
const GIVEN_BACK_AFTER_MS = 10_000
/** Connections for graphile-worker itself: one listens, the others fetch and complete in batches. */
const CONNECTIONS = 4

export interface TaskPoolOptions {
  databaseUrl: string
  /** Opens its connections; by default they are plain ones. */
  openSocket?: (() => Duplex) | undefined
  concurrency: number
  tasks: TaskList
  log: Logger
}

/** graphile-worker's side of a worker. */
export interface TaskPool {
  /** What stands on the tasks it has locked. */
  id: string
  /** Resolves when the pool has ended, asked to or not. */
  ended: Promise<void>
  /** Takes nothing new, gives back what it fetched ahead; resolves when every task under way has ended. */
  drain(): Promise<void>
  /** Ends the connections, which waits until the last completions are written: only then is no task locked. */
  end(): Promise<void>
}

/** graphile-worker's own log lines at our levels; what it says while all is well is debug to us. */
function taskLogger(log: Logger): TaskLogger {
  return new TaskLogger(scope => (level, message, meta) => {
    const line = { scope: scope.label, ...(meta?.error instanceof Error && { err: meta.error }) }
    if (level === 'error') log.error(line, message)
    else if (level === 'warning') log.warn(line, message)
    else log.debug(line, message)
  })
}

export async function startTaskPool(options: TaskPoolOptions): Promise<TaskPool> {
  const { log } = options
  const pgPool = new pg.Pool({
    connectionString: options.databaseUrl,
    max: CONNECTIONS,
    application_name: 'workly-worker-tasks',
    connectionTimeoutMillis: 10_000,
    ...(options.openSocket && { stream: options.openSocket }),
  })
  // A connection that breaks while it is idle must not take the process with it; the pool opens another.
  pgPool.on('error', error => log.warn({ err: error }, 'an idle connection broke'))
  pgPool.on('connect', client => {
    client.on('error', error => log.warn({ err: error }, 'a connection broke'))
  })
  const events: WorkerEvents = new EventEmitter()
  // The pool itself is a thenable that settles when it ends, so only its name may pass through a promise.
  const created = new Promise<string>(resolve => {
    events.once('pool:create', ({ workerPool }) => resolve(workerPool.id))
  })
  const runner = await run({
    pgPool,
    events,
    taskList: options.tasks,
    noHandleSignals: true,
    logger: taskLogger(log),
    preset: {
      worker: {
        concurrentJobs: options.concurrency,
        pollInterval: 2_000,
        // A plan that was made and kept while the queue was empty joins all of it with all that is fetched.
        preparedStatements: false,
        localQueue: { size: Math.max(FETCHED_AHEAD, options.concurrency), ttl: GIVEN_BACK_AFTER_MS },
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
      },
    },
  })
  const ended = runner.promise.catch(error => log.error({ err: error }, 'the task pool ended with an error'))
  const id = await created
  return { id, ended, drain: () => runner.stop(), end: () => pgPool.end() }
}
