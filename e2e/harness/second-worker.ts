import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { groundOf } from './ground.ts'
import { signal } from './processes.ts'
import type { Stack } from './stack.ts'
import { until } from './until.ts'

const MAIN = fileURLToPath(new URL('../../apps/worker/src/main.ts', import.meta.url))

/** One more worker on a stack's database, started as an operator would: by its environment alone. */
export class SecondWorker {
  readonly #child: ChildProcess
  output = ''

  private constructor(child: ChildProcess) {
    this.#child = child
  }

  /** @param more what its environment has besides, as the stack's own worker */
  static async start(stack: Stack, more: Record<string, string> = {}): Promise<SecondWorker> {
    const { databaseUrl, encryptionKeys } = groundOf(stack)
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', MAIN], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env.PATH,
        NODE_ENV: 'production',
        DATABASE_URL: databaseUrl,
        WORKLY_ENCRYPTION_KEYS: encryptionKeys,
        WORKLY_PUBLIC_URL: stack.url,
        WORKLY_ALLOW_HTTP: 'loopback',
        WORKLY_ALLOWED_PRIVATE_TARGETS: '127.0.0.0/8',
        WORKLY_SHUTDOWN_GRACE: '1',
        ...more,
      },
    })
    const worker = new SecondWorker(child)
    const keep = (text: string) => {
      worker.output += text
    }
    child.stdout.setEncoding('utf8').on('data', keep)
    child.stderr.setEncoding('utf8').on('data', keep)
    try {
      await until(
        'the second worker takes tasks',
        () => worker.output,
        text => text.includes('worker started'),
      )
    } catch (error) {
      await worker.stop()
      throw error
    }
    return worker
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const gone = once(this.#child, 'exit')
    signal(this.pid, 'SIGCONT')
    signal(this.pid, 'SIGTERM')
    const late = setTimeout(() => signal(this.pid, 'SIGKILL'), 20_000)
    await gone
    clearTimeout(late)
  }
}
