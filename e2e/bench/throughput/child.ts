import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** A process of the bench that says on its standard output when it is ready. */
export class Child {
  readonly #process: ChildProcess

  private constructor(process: ChildProcess) {
    this.#process = process
  }

  /**
   * @param isReady the line to wait for
   * @returns the child and that line
   */
  static async start(
    args: string[],
    env: NodeJS.ProcessEnv,
    isReady: (line: string) => boolean,
  ): Promise<[Child, string]> {
    const spawned = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { PATH: process.env.PATH, NODE_ENV: 'production', ...env },
    })
    const child = new Child(spawned)
    const lines = createInterface({ input: spawned.stdout })
    const ready = new Promise<string>((resolve, reject) => {
      lines.on('line', line => {
        if (isReady(line)) resolve(line)
        else if (/"level":(?:50|60)/.test(line)) process.stderr.write(`${line}\n`)
      })
      spawned.once('exit', code => reject(new Error(`${args.join(' ')} ended with ${code}`)))
    })
    return [child, await ready]
  }

  get pid(): number {
    return this.#process.pid ?? 0
  }

  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return
    const gone = once(this.#process, 'exit')
    this.#process.kill(signal)
    await gone
  }
}
