import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'

const MAIN = fileURLToPath(import.meta.resolve('@workly/worker/main'))
/** Waits before a worker that ended by itself is started again; back to the first once one has run for a minute. */
const AGAIN_AFTER_MS = [0, 500, 2_000, 5_000, 10_000] as const
const RAN_WELL_MS = 60_000

/**
 * Keeps one worker process running: a process of its own, so that one that dies in the middle of a call takes nothing
 * else with it. When it ends by itself it is started again.
 */
export class WorkerProcess {
  #env: NodeJS.ProcessEnv
  readonly #logFile: string
  readonly #log: Logger
  #child: ChildProcess | null = null
  #stopping = false
  #deaths = 0
  #again: NodeJS.Timeout | null = null

  /** @param logFile where what the worker writes is added */
  constructor(env: NodeJS.ProcessEnv, logFile: string, log: Logger) {
    this.#env = env
    this.#logFile = logFile
    this.#log = log
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** Resolves when the first worker takes tasks. */
  start(): Promise<void> {
    return new Promise((resolve, reject) => this.#spawn(resolve, reject))
  }

  /**
   * Starts the worker anew on another database's address. The one that runs can write nothing any more, so it is not
   * waited for; what it has in flight is taken over as after any death.
   */
  moveTo(databaseUrl: string): void {
    this.#env = { ...this.#env, DATABASE_URL: databaseUrl }
    this.#deaths = 0
    this.#child?.kill('SIGKILL')
  }

  async stop(): Promise<void> {
    this.#stopping = true
    if (this.#again) clearTimeout(this.#again)
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    await once(child, 'exit')
  }

  #spawn(ready: () => void, failed: (error: Error) => void): void {
    const startedAt = performance.now()
    const output = openSync(this.#logFile, 'a')
    const child = fork(MAIN, [], { env: this.#env, stdio: ['ignore', output, output, 'ipc'] })
    closeSync(output)
    this.#child = child
    let isReady = false
    child.on('message', () => {
      isReady = true
      ready()
    })
    child.on('error', error => this.#log.error({ err: error }, 'the worker process cannot be started'))
    child.on('exit', (code, signal) => {
      if (this.#stopping) return
      // One that never came up has a reason that starting it again would not mend.
      if (!isReady && this.#deaths === 0 && code !== null) {
        failed(new Error(`The worker could not start; ${this.#logFile} says why.`))
        return
      }
      if (performance.now() - startedAt > RAN_WELL_MS) this.#deaths = 0
      const wait = AGAIN_AFTER_MS[Math.min(this.#deaths, AGAIN_AFTER_MS.length - 1)] ?? 0
      this.#deaths++
      this.#log.warn({ code, signal, again_in_ms: wait }, 'the worker process ended; it is started again')
      this.#again = setTimeout(
        () =>
          this.#spawn(
            () => undefined,
            () => undefined,
          ),
        wait,
      )
    })
  }
}
