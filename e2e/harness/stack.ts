import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from './client.ts'
import { childrenOf, ended, isAlive, type SeenProcess, signal } from './processes.ts'
import { until } from './until.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const MAIN = join(ROOT, 'apps/standalone/src/main.ts')
/** As `npm start` does it: when this process is gone without a word, so is Workly soon after. */
const END_WITH_PARENT = new URL('../../scripts/bootstrap/end-with-parent.mjs', import.meta.url).href
/** The first start makes a database; other tests may keep the machine busy. */
const START_LIMIT_MS = 120_000

/** How a stack is started. */
export interface StackOptions {
  env?: Record<string, string>
  /** `npm` types `npm start`, which may install and build first; default `node`, which runs the same program. */
  by?: 'node' | 'npm'
}

/** What lies in the data folder's `credentials`. */
export interface Credentials {
  email: string
  password: string
  apiKey: string
  signingSecret: string
}

/** Whatever a started process says and how it ends. */
export interface Told {
  code: number | null
  stdout: string
  stderr: string
}

/**
 * The embedded default as a person starts it: a process with a port of its own and a data folder of its own, seen only
 * through its port, its files and its signals.
 */
export class Stack {
  readonly dataDir: string
  readonly port: number
  readonly url: string
  readonly #options: StackOptions
  #child: ChildProcess | null = null
  #output = ''

  private constructor(dataDir: string, port: number, options: StackOptions) {
    this.dataDir = dataDir
    this.port = port
    this.url = `http://localhost:${port}`
    this.#options = options
  }

  /** Starts one with a new data folder; {@link Stack.remove} it at the end. */
  static async start(options: StackOptions = {}): Promise<Stack> {
    const stack = new Stack(newDataDir(), await freePort(), options)
    try {
      await stack.start()
    } catch (error) {
      await stack.remove()
      throw error
    }
    return stack
  }

  /** Everything it has printed. */
  get output(): string {
    return this.#output
  }

  /** The first process: npm's, or Workly's own. */
  get pid(): number {
    const pid = this.#child?.pid
    if (pid === undefined) throw new Error('Workly does not run.')
    return pid
  }

  get credentials(): Credentials {
    const text = readFileSync(join(this.dataDir, 'credentials'), 'utf8')
    const value = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(text)?.[1] ?? ''
    return {
      email: value('WORKLY_EMAIL'),
      password: value('WORKLY_PASSWORD'),
      apiKey: value('WORKLY_API_KEY'),
      signingSecret: value('WORKLY_SIGNING_SECRET'),
    }
  }

  get api(): Client {
    return new Client(this.url, this.credentials.apiKey)
  }

  /** The worker's process, once there is one. */
  async workerPid(): Promise<number> {
    const isWorker = (command: string) => command.includes('apps/worker/src/main.ts')
    const found = await until(
      'a worker runs',
      () => descendantsOf(this.pid).find(child => isWorker(child.command)),
      worker => worker !== undefined,
    )
    return found?.pid ?? 0
  }

  /** PostgreSQL's first process; it is in no group with Workly. */
  postgresPid(): number {
    const path = join(this.dataDir, 'postgres/cluster/data/postmaster.pid')
    return existsSync(path) ? Number(readFileSync(path, 'utf8').split('\n', 1)[0]) : 0
  }

  /** Starts it on its data folder and port, for the first time or again; resolves when it serves. */
  async start(): Promise<void> {
    this.#output = ''
    const child = launch(this.#options, { WORKLY_DATA_DIR: this.dataDir, WORKLY_PORT: String(this.port) })
    this.#child = child
    const keep = (text: string) => {
      this.#output += text
    }
    child.stdout?.setEncoding('utf8').on('data', keep)
    child.stderr?.setEncoding('utf8').on('data', keep)
    await until(
      `Workly serves on ${this.url}`,
      () => {
        if (hasEnded(child)) throw new Error(`Workly ended while it started:\n${this.#output}`)
        return this.#output
      },
      output => output.includes('Workly runs on'),
      START_LIMIT_MS,
    )
  }

  /** Asks it to end, as Ctrl-C or a service manager does. @returns its exit code */
  async stop(withinMs = 40_000): Promise<number | null> {
    const child = this.#child
    if (!child || hasEnded(child)) return child?.exitCode ?? null
    const gone = once(child, 'exit')
    signal(this.pid, 'SIGTERM')
    const late = setTimeout(() => void this.kill(), withinMs)
    await gone
    clearTimeout(late)
    return child.exitCode
  }

  /** Kills npm, Workly and the worker with SIGKILL, all at once: none of them has time for a last word. */
  async kill(): Promise<void> {
    const child = this.#child
    if (!child || hasEnded(child)) return
    const all = [this.pid, ...descendantsOf(this.pid, this.postgresPid()).map(seen => seen.pid)]
    for (const pid of all.reverse()) signal(pid, 'SIGKILL')
    await ended(all)
  }

  /** Stops everything, PostgreSQL too, and deletes the data. */
  async remove(): Promise<void> {
    try {
      await this.stop()
      const postgres = this.postgresPid()
      if (postgres > 0 && isAlive(postgres)) {
        signal(postgres, 'SIGINT')
        await ended([postgres])
      }
    } finally {
      rmSync(this.dataDir, { recursive: true, force: true, maxRetries: 5 })
    }
  }
}

/**
 * Starts Workly with these settings and waits for its end: for starts that must fail.
 *
 * @param stopAt asks it to stop as soon as it has printed this
 */
export async function startInVain(
  env: Record<string, string>,
  { stopAt }: { stopAt?: string } = {},
): Promise<Told> {
  const child = launch({}, env)
  const told: Told = { code: null, stdout: '', stderr: '' }
  child.stdout?.setEncoding('utf8').on('data', text => {
    const isNews = stopAt !== undefined && !told.stdout.includes(stopAt)
    told.stdout += text
    if (isNews && told.stdout.includes(stopAt)) signal(child.pid ?? 0, 'SIGTERM')
  })
  child.stderr?.setEncoding('utf8').on('data', text => {
    told.stderr += text
  })
  const late = setTimeout(() => signal(child.pid ?? 0, 'SIGKILL'), START_LIMIT_MS)
  await once(child, 'close')
  clearTimeout(late)
  return { ...told, code: child.exitCode }
}

/** A folder that PostgreSQL's user can enter, where Workly runs as root. */
export function newDataDir(): string {
  const path = mkdtempSync(join(tmpdir(), 'workly-e2e-'))
  chmodSync(path, 0o755)
  return path
}

/** A port that nobody listens on at this moment. */
export async function freePort(): Promise<number> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}

function launch({ env = {}, by = 'node' }: StackOptions, more: Record<string, string>): ChildProcess {
  const [command, ...args] =
    by === 'npm'
      ? ['npm', 'start']
      : [process.execPath, '--disable-warning=ExperimentalWarning', '--import', END_WITH_PARENT, MAIN]
  return spawn(command, args, {
    cwd: ROOT,
    // A Ctrl-C at the tests is for the tests, which then stop Workly.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...cleanEnvironment(), WORKLY_SHUTDOWN_GRACE: '2', ...env, ...more },
  })
}

/** The environment without what would reach into Workly: a developer's own settings, or the test runner's. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(?:WORKLY_|NEXT|DATABASE_URL$|NODE_|npm_|PW_|PLAYWRIGHT|TEST_)/.test(name),
  )
  return { ...Object.fromEntries(kept), NODE_ENV: 'production' }
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

/** @param without a process that is left out with all below it */
function descendantsOf(pid: number, without = 0): SeenProcess[] {
  return childrenOf(pid)
    .filter(child => child.pid !== without)
    .flatMap(child => [child, ...descendantsOf(child.pid, without)])
}
