import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { signal } from '../processes.ts'
import { until } from '../until.ts'

/** When the tests are gone without a word, so are the processes that they have started, soon after. */
const END_WITH_PARENT = new URL('../../../scripts/bootstrap/end-with-parent.mjs', import.meta.url).href
const KEPT_OUTPUT = 400_000

const KINDS = {
  worker: { main: '../../../apps/worker/src/main.ts', ready: 'worker started' },
  api: { main: '../../../apps/api/src/main.ts', ready: 'the API is listening' },
} as const

export type MemberKind = keyof typeof KINDS

/** How a process of the fleet is started. */
export interface MemberOptions {
  env: Record<string, string>
  /** A module that is loaded before all others. */
  preload?: string
  /** Another main module than this tree's. */
  main?: string
}

/** A worker or an API as a process of its own, started as an operator would: by its environment alone. */
export class Member {
  readonly kind: MemberKind
  readonly options: MemberOptions
  readonly #child: ChildProcess
  output = ''

  private constructor(kind: MemberKind, options: MemberOptions) {
    this.kind = kind
    this.options = options
    const { env, preload, main = fileURLToPath(new URL(KINDS[kind].main, import.meta.url)) } = options
    const imports = [END_WITH_PARENT, ...(preload === undefined ? [] : [preload])]
    this.#child = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', ...imports.flatMap(module => ['--import', module]), main],
      // A Ctrl-C at the tests is for the tests, which then stop the fleet.
      {
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { PATH: process.env.PATH, NODE_ENV: 'production', ...env },
      },
    )
    const keep = (text: string) => {
      this.output = (this.output + text).slice(-KEPT_OUTPUT)
    }
    this.#child.stdout?.setEncoding('utf8').on('data', keep)
    this.#child.stderr?.setEncoding('utf8').on('data', keep)
  }

  /** Starts one without waiting until it serves. */
  static launch(kind: MemberKind, options: MemberOptions): Member {
    return new Member(kind, options)
  }

  /** Starts one; resolves when it serves. */
  static async start(kind: MemberKind, options: MemberOptions): Promise<Member> {
    const member = Member.launch(kind, options)
    try {
      await member.ready()
    } catch (error) {
      await member.kill()
      throw error
    }
    return member
  }

  async ready(withinMs = 60_000): Promise<void> {
    await until(
      `the ${this.kind} is ready`,
      () => {
        if (this.hasEnded) throw new Error(`The ${this.kind} ended while it started:\n${this.output}`)
        return this.output
      },
      output => output.includes(KINDS[this.kind].ready),
      withinMs,
    )
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null
  }

  get exitCode(): number | null {
    return this.#child.exitCode
  }

  send(name: NodeJS.Signals): void {
    if (!this.hasEnded) signal(this.pid, name)
  }

  /** `kill -9`; resolves when it is gone. */
  async kill(): Promise<void> {
    if (this.hasEnded) return
    const gone = once(this.#child, 'exit')
    this.send('SIGKILL')
    await gone
  }

  /** SIGTERM; killed when it takes longer than `withinMs`. @returns its exit code, null when it was killed */
  async stop(withinMs = 40_000): Promise<number | null> {
    if (this.hasEnded) return this.exitCode
    const gone = once(this.#child, 'exit')
    this.send('SIGCONT')
    this.send('SIGTERM')
    const late = setTimeout(() => this.send('SIGKILL'), withinMs)
    await gone
    clearTimeout(late)
    return this.exitCode
  }
}
