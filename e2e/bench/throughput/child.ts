import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { atEnd } from '../ending.ts'

/** When the bench is gone without a word, so are the processes that it has started, soon after. */
const END_WITH_PARENT = new URL('../../../scripts/bootstrap/end-with-parent.mjs', import.meta.url).href

const END_WITHIN_MS = 40_000

/** A process of the bench that says on its standard output when it is ready. */
export class Child {
  readonly #process: ChildProcess

  readonly #end: () => Promise<void>

  private constructor(process: ChildProcess) {
    this.#process = process
    this.#end = atEnd(() => this.#stop('SIGKILL'))
  }

  /**
   * A process of Node.
   *
   * @param isReady the line to wait for
   * @returns the child and that line
   */
  static start(
    args: string[],
    env: NodeJS.ProcessEnv,
    isReady: (line: string) => boolean,
  ): Promise<[Child, string]> {
    const flags = ['--disable-warning=ExperimentalWarning', '--import', END_WITH_PARENT]
    return Child.startProgram(process.execPath, [...flags, ...args], env, isReady)
  }

  /** Any process. */
  static async startProgram(
    program: string,
    args: string[],
    env: NodeJS.ProcessEnv,
    isReady: (line: string) => boolean,
  ): Promise<[Child, string]> {
    const spawned = spawn(program, args, {
      stdio: ['ignore', 'pipe', 'inherit'],
      // A Ctrl-C at the bench is for the bench, which then ends what it has started.
      detached: true,
      env: { PATH: process.env.PATH, NODE_ENV: 'production', ...env },
    })
    const child = new Child(spawned)
    const lines = createInterface({ input: spawned.stdout })
    const ready = new Promise<string>((resolve, reject) => {
      lines.on('line', line => {
        if (isReady(line)) resolve(line)
        else if (/"level":(?:50|60)/.test(line)) process.stderr.write(`${line}\n`)
      })
      spawned.once('error', reject)
      spawned.once('exit', code => reject(new Error(`${args.join(' ')} ended with ${code}`)))
    })
    return [child, await ready]
  }

  get pid(): number {
    return this.#process.pid ?? 0
  }

  /** Asks it to end, and kills it where that takes too long. */
  async end(): Promise<void> {
    const late = setTimeout(() => this.#process.kill('SIGKILL'), END_WITHIN_MS)
    await this.#stop('SIGTERM').finally(() => clearTimeout(late))
    await this.#end()
  }

  /** `kill -9`. */
  kill(): Promise<void> {
    return this.#end()
  }

  async #stop(signal: NodeJS.Signals): Promise<void> {
    const { pid, exitCode, signalCode } = this.#process
    if (pid === undefined || exitCode !== null || signalCode !== null) return
    const gone = once(this.#process, 'exit')
    this.#process.kill(signal)
    await gone
  }
}
